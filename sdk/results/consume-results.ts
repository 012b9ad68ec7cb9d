// Results as a loop.
//
// keepReceiving holds a signed-in session and fills a queue with notices; when the session breaks it opens another. The
// loop takes the queue in batches, reads the whole results of one batch while the one before is being worked on, and
// yields them one by one. The ledger, which outlives sessions, knows what was delivered and acknowledged.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@connectrpc/connect';
import type { ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import type { ResultItem, ResultService } from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import { batchUp } from '../client/batch-up.ts';
import type { Body, BodyOptions } from '../client/body.ts';
import { openBody } from '../client/body.ts';
import { DecorumError, isLasting, toDecorumError } from '../client/decorum-error.ts';
import type { AsyncQueue } from './async-queue.ts';
import { createAsyncQueue } from './async-queue.ts';
import { createDeliveryLedger } from './delivery-ledger.ts';
import { createGapTracker, resultGap } from './gap-tracker.ts';
import type { LaneName } from './lane.ts';
import type { LaneSession } from './lane-session.ts';
import { openLaneSession } from './lane-session.ts';
import { readItemsPatiently } from './read-items.ts';
import type { Arrival, OpenStream } from './receive-notices.ts';
import { receiveNotices } from './receive-notices.ts';
import type { Result } from './result.ts';
import { fromNotice, toResult } from './result.ts';

/** Which results, and how. */
export type ResultsOptions = {
  /** The consumer group: its members share the results, two groups each get all. Default `default`. */
  readonly group?: string | undefined;
  /** Default `bulk`. */
  readonly lane?: LaneName | undefined;
  /** Where a group that is new starts; default the oldest that is kept. */
  readonly startNumber?: number | undefined;
  /** Go on for ever (default), or end when everything published so far has come. */
  readonly follow?: boolean | undefined;
  /**
   * This process is the group's only member: a number that does not come is then noticed and read from the record.
   * Default false, since members share the numbers.
   */
  readonly soleMember?: boolean | undefined;
  /** Aborting ends the loop without an error. */
  readonly signal?: AbortSignal | undefined;
};

/** A result as the loop hands it out. It comes again, here or to another member, unless it is acknowledged. */
export type DeliveredResult = Result & {
  /** How often it was delivered, this time included. */
  readonly deliveries: number;
  /** It came more than five times without being acknowledged: set it aside if it is what makes the reader fail. */
  readonly suspect: boolean;
  /** It is dealt with. Takes effect at once for this loop, and at the server with the next write. */
  ack(): void;
  /** It shall come again, after `afterMs` (default at once). */
  retry(afterMs?: number): void;
  /** The body of its capture. Throws `NO_CAPTURE` when there is none. */
  body(options?: BodyOptions): Body;
};

/** The services that results are read through. */
export type ResultClients = {
  readonly results: Pick<Client<typeof ResultService>, 'openResults' | 'getResults'>;
  readonly content: Pick<Client<typeof ContentService>, 'readBody'>;
  /** Holds what goes on behind the loops, until it has ended. */
  readonly running: Set<Promise<void>>;
};

const READ_MAX = 100;
const READ_LINGER_MS = 5;
const SUSPECT_DELIVERIES = 5;
const REOPEN_MS = 500;
const REOPEN_MS_MAX = 15_000;

/**
 * Yields results as they are published, whole, in the order of their numbers (redeliveries aside).
 *
 * Opening throws at once when it fails; later losses of the connection, the API or the credential are repaired quietly.
 * What the loop is left with unacknowledged is given back. One reader at a time.
 */
export async function* consumeResults(
  clients: ResultClients,
  options: ResultsOptions = {},
): AsyncGenerator<DeliveredResult, void, undefined> {
  const { signal: caller } = options;
  const stop = new AbortController();
  const queue = createAsyncQueue<Arrival>();
  const onAbort = () => {
    queue.end();
    stop.abort();
  };
  caller?.addEventListener('abort', onAbort);
  if (caller?.aborted === true) onAbort();
  const receiving = keepReceiving(clients, options, queue, stop.signal).finally(() =>
    clients.running.delete(receiving),
  );
  clients.running.add(receiving);
  const batches = batchUp(queue, {
    countMax: READ_MAX,
    bytesMax: READ_MAX,
    sizeOf: () => 1,
    lingerMs: READ_LINGER_MS,
  });
  try {
    for await (const results of readAhead(batches, (batch) => readBatch(clients, batch, stop.signal))) {
      for (const result of results) {
        if (stop.signal.aborted) return;
        yield result;
      }
    }
  } catch (error) {
    if (!stop.signal.aborted) throw toDecorumError(error);
  } finally {
    caller?.removeEventListener('abort', onAbort);
    stop.abort();
    await receiving;
  }
}

/** Receives until `stop`, over as many sessions as it takes. Ends the queue when nothing more will come. */
async function keepReceiving(
  clients: ResultClients,
  options: ResultsOptions,
  queue: AsyncQueue<Arrival>,
  stop: AbortSignal,
): Promise<void> {
  const lane = {
    group: options.group ?? 'default',
    lane: options.lane ?? 'bulk',
    startNumber: options.startNumber,
  };
  let stream: OpenStream | undefined;
  for (let pauseMs = REOPEN_MS; !stop.aborted; pauseMs = Math.min(pauseMs * 2, REOPEN_MS_MAX)) {
    try {
      await using session = await openLaneSession(clients.results, lane, stop);
      pauseMs = REOPEN_MS;
      if (stream?.name !== session.stream)
        stream = await openStream(session, lane.lane, options.soleMember ?? false);
      await receiveFrom(session, stream, options.follow ?? true, queue, stop);
      session.ended.throwIfAborted();
    } catch (thrown) {
      const error = toDecorumError(thrown);
      if (stream === undefined || isLasting(error)) {
        queue.end(error);
        return;
      }
      await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined);
    }
  }
}

async function openStream(session: LaneSession, lane: LaneName, soleMember: boolean): Promise<OpenStream> {
  const { delivered } = await session.consumer.info(true);
  const { stream: name, cell, generation } = session;
  const gaps = soleMember ? createGapTracker(delivered.stream_seq) : undefined;
  return { name, lane, cell, generation, ledger: createDeliveryLedger(), gaps };
}

async function receiveFrom(
  session: LaneSession,
  stream: OpenStream,
  follow: boolean,
  queue: AsyncQueue<Arrival>,
  stop: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([stop, session.ended]);
  const keepAlive = setInterval(() => stream.ledger.renew(), session.ackWaitMs / 3).unref();
  try {
    await receiveNotices(session, { stream, queue, follow, signal });
    if (signal.aborted) return;
    queue.end();
    // What was handed out can still be acknowledged.
    await once(signal, 'abort');
  } finally {
    clearInterval(keepAlive);
    if (stop.aborted) stream.ledger.release();
  }
}

/** Reads one batch ahead of what is taken. */
async function* readAhead<T, R>(
  batches: AsyncIterable<T>,
  read: (batch: T) => Promise<R>,
): AsyncGenerator<R> {
  const source = batches[Symbol.asyncIterator]();
  const step = async (): Promise<{ readonly read: R } | undefined> => {
    const next = await source.next();
    return next.done === true ? undefined : { read: await read(next.value) };
  };
  let ahead = step();
  for (let current = await ahead; current !== undefined; current = await ahead) {
    ahead = step();
    // It is thrown where it is awaited, or nobody takes it any more.
    ahead.catch(() => undefined);
    yield current.read;
  }
}

async function readBatch(
  clients: ResultClients,
  batch: readonly Arrival[],
  signal: AbortSignal,
): Promise<DeliveredResult[]> {
  const delivered: DeliveredResult[] = [];
  for (const [stream, arrivals] of Map.groupBy(batch, (arrival) => arrival.stream)) {
    const { lane, cell, generation } = stream;
    const numbers = arrivals.map(({ number }) => number);
    const items = await readItemsPatiently(clients.results, { lane, cell, generation, numbers }, signal);
    for (const [i, arrival] of arrivals.entries()) delivered.push(handOut(clients, arrival, items[i]));
  }
  return delivered;
}

function handOut(
  clients: ResultClients,
  { stream, number, notice, deliveries }: Arrival,
  item: ResultItem | undefined,
): DeliveredResult {
  const result = item?.result === undefined ? notice && fromNotice(notice) : toResult(item.result);
  if (result === undefined) throw resultGap(String(number));
  return {
    ...result,
    deliveries,
    suspect: deliveries > SUSPECT_DELIVERIES,
    ack: () => stream.ledger.ack(number),
    retry: (afterMs) => stream.ledger.retry(number, afterMs),
    body: (options) => {
      if (result.capture === undefined) throw noCapture(result);
      return openBody(clients.content, result.capture.captureId, options);
    },
  };
}

function noCapture({ requestId, kind }: Result): DecorumError {
  const message = `Request ${requestId} ended as ${kind} and has no capture: look at result.capture before reading a body.`;
  return new DecorumError({ code: 'failed_precondition', reason: 'NO_CAPTURE', message });
}
