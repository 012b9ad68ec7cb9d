// Repeats calls that are safe to repeat.
//
// Not left to grpc-js: it takes a call as committed once headers came, and connect servers send headers before the
// trailers that hold an error, so its retry policy never repeats what a node answered with UNAVAILABLE (seen with 1.14
// and connect 2.3), nor an answer that was cut off half-way. grpc-js still resends by itself what never left this
// process or what the server refused unseen.
import { setTimeout as sleep } from 'node:timers/promises';
import type { DescMethod } from '@bufbuild/protobuf';
import { durationMs } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { RetryInfoSchema } from '@decorum/proto/google/rpc/error_details_pb.ts';
import { isSafeMethod } from './safe-methods.ts';

/** Tries of a safe call for callers who would rather know soon that nothing is there; for others the deadline is the limit. */
export const ATTEMPTS_MAX_FAIL_FAST = 3;

const BACKOFF_FIRST_MS = 100;
const BACKOFF_MAX_MS = 3_000;
const BACKOFF_FACTOR = 2.5;

/** How far `retrySafely` goes. */
export type RetryLimits = {
  /** `Infinity` to go on until the deadline. No storm follows: each caller has one try under way, at last 3 s apart. */
  readonly attemptsMax: number;
  /** Wall-clock milliseconds. No try starts after it. */
  readonly deadlineAt: number;
  readonly signal: AbortSignal;
};

/**
 * Runs `attempt`, and again after a growing pause when it fails with UNAVAILABLE and `method` is safe to repeat. The
 * pause is the server's where it names one (`RetryInfo`). Throws the last error.
 */
export async function retrySafely<T>(
  method: DescMethod,
  limits: RetryLimits,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      const repeat = error instanceof ConnectError && error.code === Code.Unavailable && isSafeMethod(method);
      if (!repeat || attempts >= limits.attemptsMax) throw error;
      const waitMs = askedPauseMs(error) ?? backoffMs(attempts, Math.random());
      if (Date.now() + waitMs >= limits.deadlineAt) throw error;
      await sleep(waitMs, undefined, { signal: limits.signal });
    }
  }
}

/** The pause after the given number of tries, in milliseconds; `random` in [0, 1) spreads it by 20 % either way. */
export function backoffMs(attempts: number, random: number): number {
  return Math.round(
    Math.min(BACKOFF_FIRST_MS * BACKOFF_FACTOR ** (attempts - 1), BACKOFF_MAX_MS) * (0.8 + 0.4 * random),
  );
}

function askedPauseMs(error: ConnectError): number | undefined {
  const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  return delay === undefined ? undefined : durationMs(delay);
}
