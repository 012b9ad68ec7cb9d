import { loadNextReadyMs } from '../store/load-next-ready-ms.ts';
import type { Pool } from '../store/database.ts';
import { leaseSites, type GrantedLease, type LeaseInput } from './lease.ts';

/** Another node's Submit is noticed after this at the latest. */
const POLL_MS = 250;

/** What a waiting Lease stands on. */
export type WaitDeps = {
  readonly pool: Pool;
  readonly monotonicMs: () => number;
  /** Resolves after `ms`, when something local changed, or when the signal aborts. */
  readonly waitForWork: (ms: number, signal: AbortSignal) => Promise<void>;
};

/**
 * Long poll: answers as soon as there are leases, else an empty list after `waitMs`. Wakes at the next time that a queue is
 * known to be ready, after a local change, or after 250 ms.
 */
export async function waitForLeases(
  deps: WaitDeps,
  input: LeaseInput,
  waitMs: number,
  signal: AbortSignal,
): Promise<readonly GrantedLease[]> {
  const endsAt = deps.monotonicMs() + waitMs;
  for (;;) {
    const leases = await leaseSites(deps.pool, input);
    const leftMs = endsAt - deps.monotonicMs();
    if (leases.length > 0 || leftMs <= 0 || signal.aborted) return leases;
    const nextMs = (await loadNextReadyMs(deps.pool)) ?? POLL_MS;
    await deps.waitForWork(Math.max(1, Math.min(nextMs, POLL_MS, leftMs)), signal);
  }
}
