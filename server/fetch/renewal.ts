/**
 * Renews what a worker holds, leases and segments in one call, every third of the shortest term; a call that fails is
 * repeated soon. What the answer takes back takes effect at once: revoked requests are aborted, stale leases are over.
 */
import { durationMs } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import {
  LeaseStatus,
  type FetchService,
  type RenewedLease,
} from '@decorum/proto/decorum/fetch/v1/fetch_service_pb.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { LocalLease } from './local-lease.ts';
import { readClocks, type TermStart } from './local-term.ts';
import type { SegmentKeeper } from './segment-keeper.ts';

/** What is renewed, and by whom. */
export type RenewalDeps = {
  readonly client: Pick<Client<typeof FetchService>, 'renew'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly workerId: string;
  readonly leases: () => readonly LocalLease[];
  readonly segments: Pick<SegmentKeeper, 'held' | 'noteRenewal'>;
  readonly callMs: number;
};

/** How often we look whether something is due; a fraction of the shortest third that is in use. */
export const RENEWAL_TICK_MS = 100;

/** After a call that failed. */
export const RENEWAL_RETRY_MS = 500;

/** Renews until disposed of, which waits for a call that is running. */
export function startRenewal(deps: RenewalDeps): AsyncDisposable {
  let notBeforeMs = 0;
  let running: Promise<void> | null = null;

  const tick = (): void => {
    const now = deps.clock.monotonicMs();
    if (running !== null || now < notBeforeMs || !isDue(deps, now)) return;
    running = renew(deps)
      .catch((error: unknown) => {
        notBeforeMs = deps.clock.monotonicMs() + RENEWAL_RETRY_MS;
        deps.logger.warn('leases could not be renewed yet', {}, error);
      })
      .finally(() => {
        running = null;
      });
  };
  const timer = setInterval(tick, RENEWAL_TICK_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running;
    },
  };
}

function isDue(deps: RenewalDeps, now: number): boolean {
  return [...deps.leases(), ...deps.segments.held()].some(({ term }) => term.renewAtMs() <= now);
}

async function renew(deps: RenewalDeps): Promise<void> {
  const leases = deps.leases();
  const segments = deps.segments.held();
  const askedAt = readClocks(deps.clock);
  const answer = await deps.client.renew(
    {
      workerId: deps.workerId,
      leaseTokens: leases.map(({ lease }) => lease.leaseToken),
      segmentIds: segments.map(({ segmentId }) => segmentId),
    },
    { timeoutMs: renewalMs(deps) },
  );
  leases.forEach((lease, at) => noteRenewedLease(lease, answer.leases[at], askedAt));
  segments.forEach(({ segmentId }, at) => {
    deps.segments.noteRenewal(segmentId, answer.segments[at] ?? LeaseStatus.UNSPECIFIED, askedAt);
  });
}

/** A call that hangs must leave time for another one. */
function renewalMs(deps: RenewalDeps): number {
  const remaining = [...deps.leases(), ...deps.segments.held()].map(({ term }) => term.remainingMs() / 2);
  return Math.max(RENEWAL_RETRY_MS, Math.min(deps.callMs, ...remaining));
}

function noteRenewedLease(lease: LocalLease, renewed: RenewedLease | undefined, askedAt: TermStart): void {
  if (renewed?.status !== LeaseStatus.HELD) {
    lease.markStale();
    return;
  }
  if (renewed.expiresAfter !== undefined) lease.term.prolong(askedAt, durationMs(renewed.expiresAfter));
  lease.revoke(renewed.revokedRequestIds);
}
