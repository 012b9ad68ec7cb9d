import type { Clock } from '../../runtime/clock.ts';

/** L1: what is being streamed is looked at again after this much. Whoever changes policy waits as long. */
export const RECHECK_BYTES = 1024 * 1024;

/** The same in time, ms. */
export const RECHECK_MS = 1_000;

/**
 * Hands chunks on, and before each one asks `check` again if a MiB or a second has passed since it last did: the stream
 * ends with its error. The caller has checked just before.
 */
export async function* keepChecking(
  chunks: AsyncIterable<Uint8Array>,
  check: () => Promise<unknown>,
  clock: Pick<Clock, 'monotonicMs'>,
): AsyncGenerator<Uint8Array, void> {
  let bytes = 0;
  let checkedAtMs = clock.monotonicMs();
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > RECHECK_BYTES || clock.monotonicMs() - checkedAtMs >= RECHECK_MS) {
      checkedAtMs = clock.monotonicMs();
      bytes = 0;
      await check();
    }
    yield chunk;
  }
}
