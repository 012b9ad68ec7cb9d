/**
 * The segments that a worker writes to: one per residency, opened with the server when the first lease needs it, renewed
 * with its leases, and retired at its bounds.
 *
 * States of a segment: open; retired (takes no more, closes once its appends have ended, then is handed back with
 * CloseSegment); lost (its term ran out or the server called it stale: somebody else may take it over, so that what was
 * appended and not yet reported counts as never written). A segment whose file failed is retired too; if it cannot even be
 * closed it is left to takeover, renewed no more.
 */
import { durationMs, type Duration } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import { LeaseStatus, type FetchService } from '@decorum/proto/decorum/fetch/v1/fetch_service_pb.ts';
import type { GzipMember } from '../archive/gzip-member.ts';
import type { Archive } from '../archive/directory-archive.ts';
import type { MemberLocation, SegmentWriter } from '../archive/segment-writer.ts';
import type { WarcFields } from '../archive/warc-header.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { FetchFailure } from './fetch-failure.ts';
import { readClocks, startLocalTerm, type LocalTerm, type TermStart } from './local-term.ts';

/** What a keeper works with. */
export type SegmentKeeperDeps = {
  readonly client: Pick<Client<typeof FetchService>, 'openSegment' | 'closeSegment'>;
  readonly archive: Pick<Archive, 'openSegment'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly workerId: string;
  /** Of each segment's first record. */
  readonly warcinfo: WarcFields;
  readonly callMs: number;
  readonly marginMs: number;
  /** Once aborted, a segment that cannot be handed back at the next try is left to takeover. */
  readonly giveUp: AbortSignal;
};

/** Where a capture's records lie, durable. */
export type Appended = { readonly segmentId: string; readonly members: MemberLocation[] };

/** The segments of a worker. Disposing of it retires all of them and waits until they are handed back, or cannot be. */
export type SegmentKeeper = AsyncDisposable & {
  /** Makes sure that there is a segment to append to; rejects when the server or the archive has none for us. */
  readonly prepare: (residency: string) => Promise<void>;
  /**
   * D2: appends members whole and resolves when they are durable in a segment that was ours all the while. Rejects with a
   * FetchFailure NOT_STORED.
   */
  readonly append: (residency: string, members: readonly GzipMember[]) => Promise<Appended>;
  /** The segments to renew, with the term of each. */
  readonly held: () => readonly { readonly segmentId: string; readonly term: LocalTerm }[];
  /** What the server said of a segment. */
  readonly noteRenewal: (segmentId: string, status: LeaseStatus, askedAt: TermStart) => void;
};

type Segment = {
  readonly segmentId: string;
  readonly residency: string;
  readonly writer: SegmentWriter;
  readonly term: LocalTerm;
  readonly durationMs: number;
  readonly bytesMax: number;
  readonly retireAtMs: number;
  state: 'open' | 'retired' | 'lost';
};

type Slot = { segment: Segment | null; opening: Promise<Segment> | null };

const HAND_BACK_RETRY_MS = 500;
/** A server that does not answer by then is asked again; when the worker ends, takeover does the rest. */
const HAND_BACK_CALL_MS = 3_000;

/** Makes a keeper without segments. */
export function createSegmentKeeper(deps: SegmentKeeperDeps): SegmentKeeper {
  const slots = new Map<string, Slot>();
  const held = new Map<string, Segment>();
  const handingBack = new Set<Promise<void>>();

  async function current(residency: string): Promise<Segment> {
    const slot = slotOf(slots, residency);
    if (slot.segment !== null && !isUsable(deps, slot.segment)) retire(slot.segment);
    return slot.segment ?? (slot.opening ??= open(slot, residency));
  }

  async function open(slot: Slot, residency: string): Promise<Segment> {
    try {
      const segment = await openSegment(deps, residency);
      held.set(segment.segmentId, segment);
      slot.segment = segment;
      return segment;
    } finally {
      slot.opening = null;
    }
  }

  function retire(segment: Segment): void {
    if (segment.state !== 'open') return;
    leave(segment, 'retired');
    const task = handBack(deps, segment).finally(() => {
      held.delete(segment.segmentId);
      handingBack.delete(task);
    });
    handingBack.add(task);
  }

  function lose(segment: Segment): void {
    deps.logger.error('a segment was lost', { segmentId: segment.segmentId });
    leave(segment, 'lost');
    held.delete(segment.segmentId);
    void segment.writer.close().catch(() => undefined);
  }

  function leave(segment: Segment, state: 'retired' | 'lost'): void {
    segment.state = state;
    const slot = slotOf(slots, segment.residency);
    if (slot.segment === segment) slot.segment = null;
  }

  return {
    prepare: (residency) => current(residency).then(() => undefined),

    async append(residency, members) {
      let segment = await current(residency);
      while (segment.state !== 'open') segment = await current(residency);
      try {
        return await appendTo(segment, members);
      } catch (error) {
        retire(segment);
        throw new FetchFailure('NOT_STORED', 'the archive did not take it', error);
      }
    },

    held: () => [...held.values()],

    noteRenewal(segmentId, status, askedAt) {
      const segment = held.get(segmentId);
      if (segment === undefined) return;
      if (status === LeaseStatus.HELD) segment.term.prolong(askedAt, segment.durationMs);
      if (status === LeaseStatus.HELD && !isUsable(deps, segment)) retire(segment);
      // The answer for a retired one may be from after our own CloseSegment.
      if (status !== LeaseStatus.HELD && segment.state === 'open') lose(segment);
    },

    async [Symbol.asyncDispose]() {
      for (const segment of held.values()) retire(segment);
      await Promise.all(handingBack);
    },
  };
}

function slotOf(slots: Map<string, Slot>, residency: string): Slot {
  const slot = slots.get(residency) ?? { segment: null, opening: null };
  slots.set(residency, slot);
  return slot;
}

async function appendTo(segment: Segment, members: readonly GzipMember[]): Promise<Appended> {
  const locations = await segment.writer.append(members);
  await segment.writer.sync();
  // D3: after its term somebody else may have taken the file over before our bytes were in it.
  if (segment.state === 'lost' || segment.term.remainingMs() <= 0) throw new Error('the segment was lost');
  return { segmentId: segment.segmentId, members: locations };
}

async function openSegment(deps: SegmentKeeperDeps, residency: string): Promise<Segment> {
  const { client, archive, clock, workerId, marginMs } = deps;
  const askedAt = readClocks(clock);
  const answer = await client.openSegment({ workerId, residency }, { timeoutMs: deps.callMs });
  const durationMs = toMs(answer.expiresAfter);
  const { segmentId } = answer;
  const createdAt = new Date(clock.wallMs());
  return {
    segmentId,
    residency,
    writer: await archive.openSegment({ segmentId, createdAt, warcinfo: deps.warcinfo }),
    term: startLocalTerm({ clock, askedAt, durationMs, marginMs }),
    durationMs,
    bytesMax: Number(answer.maxBytes),
    retireAtMs: askedAt.monotonicMs + toMs(answer.maxAge),
    state: 'open',
  };
}

function isUsable({ clock }: SegmentKeeperDeps, segment: Segment): boolean {
  return (
    segment.state === 'open' &&
    segment.term.remainingMs() > 0 &&
    segment.writer.bytes < segment.bytesMax &&
    clock.monotonicMs() < segment.retireAtMs
  );
}

/** Closes the file and tells the server, for as long as the segment is ours; later its takeover does. */
async function handBack(deps: SegmentKeeperDeps, segment: Segment): Promise<void> {
  const { segmentId, writer, term } = segment;
  const logger = deps.logger.with({ segmentId });
  try {
    await writer.close();
  } catch (error) {
    logger.error('a segment could not be closed and is left to takeover', {}, error);
    return;
  }
  const request = { workerId: deps.workerId, segmentId, bytes: BigInt(writer.bytes) };
  while (term.remainingMs() > 0) {
    try {
      await deps.client.closeSegment(request, { timeoutMs: HAND_BACK_CALL_MS });
      return;
    } catch (error) {
      logger.warn('a segment could not be handed back yet', {}, error);
      if (deps.giveUp.aborted) return;
      await deps.clock.sleep(HAND_BACK_RETRY_MS, deps.giveUp).catch(() => undefined);
    }
  }
}

function toMs(duration: Duration | undefined): number {
  return duration === undefined ? 0 : durationMs(duration);
}
