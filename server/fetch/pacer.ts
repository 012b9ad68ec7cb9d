import type { Clock } from '../runtime/clock.ts';

/** When one request ran, on the monotonic clock. */
export type RequestSpan = {
  /** The latest moment at which the site can have seen it begin: its answer's first byte, else when it was written. */
  readonly startedAtMs: number;
  /** The last byte was read, or the socket's `close` was seen. */
  readonly endedAtMs: number;
};

/** Keeps the pace of one lease. */
export type Pacer = {
  /** Waits until the next request may start; rejects with the signal's reason. The first may start at once. */
  waitForTurn(signal: AbortSignal): Promise<void>;
  /** Tells of a request that ended, also of one that never got a connection: the site saw us knock. */
  note(span: RequestSpan): void;
  /** When the last request ended; null when there was none. */
  lastEndedAtMs(): number | null;
};

/**
 * Makes the pace of a lease: `siteDelayMs` from the end of a request to the start of the next (M1), `slotSpacingMs` from
 * start to start (M2), and `marginMs` on both. What came before the lease is the server's to count.
 */
export function createPacer(input: {
  readonly clock: Clock;
  /** As it is at present: a lease's delay may grow while it runs. */
  readonly siteDelayMs: () => number;
  readonly slotSpacingMs: number;
  readonly marginMs: number;
}): Pacer {
  const { clock, siteDelayMs, slotSpacingMs, marginMs } = input;
  let last: RequestSpan | null = null;

  function waitMs(): number {
    if (last === null) return 0;
    const readyAtMs = Math.max(last.endedAtMs + siteDelayMs(), last.startedAtMs + slotSpacingMs) + marginMs;
    return readyAtMs - clock.monotonicMs();
  }

  return {
    async waitForTurn(signal) {
      signal.throwIfAborted();
      // A timer may fire a little early.
      for (let ms = waitMs(); ms > 0; ms = waitMs()) await clock.sleep(Math.ceil(ms), signal);
    },
    note(span) {
      last = span;
    },
    lastEndedAtMs: () => last?.endedAtMs ?? null,
  };
}
