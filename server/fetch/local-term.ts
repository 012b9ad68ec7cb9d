import type { Clock } from '../runtime/clock.ts';

/** A right that was granted for a time, counted where it is used (M4). */
export type LocalTerm = {
  /** Milliseconds until it counts as over; negative afterwards. */
  remainingMs(): number;
  /** A third of the time granted last has passed since it was asked for. */
  renewAtMs(): number;
  /** Counts anew: `durationMs` from when it was asked for. An answer to an older question shortens nothing. */
  prolong(askedAt: TermStart, durationMs: number): void;
};

/** Both clocks at one moment. */
export type TermStart = { readonly monotonicMs: number; readonly wallMs: number };

/** Reads both clocks; to be called *before* the question is sent whose answer grants the time. */
export function readClocks(clock: Clock): TermStart {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() };
}

/**
 * Starts counting. The time passed is the larger of what the two clocks say: the monotonic one stands still while the
 * machine is suspended, the wall clock may be set back. It counts as over `marginMs` early.
 */
export function startLocalTerm(input: {
  readonly clock: Clock;
  readonly askedAt: TermStart;
  readonly durationMs: number;
  readonly marginMs: number;
}): LocalTerm {
  const { clock, marginMs } = input;
  let { askedAt, durationMs } = input;
  return {
    remainingMs() {
      const passedMs = Math.max(clock.monotonicMs() - askedAt.monotonicMs, clock.wallMs() - askedAt.wallMs);
      return durationMs - marginMs - passedMs;
    },
    renewAtMs: () => askedAt.monotonicMs + durationMs / 3,
    prolong(newAskedAt, newDurationMs) {
      if (newAskedAt.monotonicMs < askedAt.monotonicMs) return;
      askedAt = newAskedAt;
      durationMs = newDurationMs;
    },
  };
}
