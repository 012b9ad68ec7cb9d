import { setTimeout as delay } from 'node:timers/promises';

/**
 * The two clocks of a process, injected wherever time decides something.
 *
 * M4: durations are counted on both, because the monotonic one stands still while a machine is suspended and the wall
 * clock can be set.
 */
export type Clock = {
  /** Milliseconds since an arbitrary start; never goes back. */
  readonly monotonicMs: () => number;
  /** Milliseconds since the Unix epoch; may jump. */
  readonly wallMs: () => number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. Keeps the process alive. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
};

/** The machine's own clocks. */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  sleep,
};

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
