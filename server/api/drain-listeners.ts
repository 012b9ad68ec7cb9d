import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { ApiLimits } from './limits.ts';
import type { Listener } from './listen/listener.ts';

/** What draining needs. */
export type DrainDeps = {
  readonly listeners: readonly Listener[];
  readonly limits: Pick<ApiLimits, 'drainMs' | 'abortMs'>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly logger: Logger;
  /** Ends the calls that are still in flight, with an error that tells their callers to try elsewhere. */
  readonly abortCalls: () => void;
};

/** Ends service in order: nothing new, calls in flight end within `drainMs`, the rest is told, then cut off. */
export async function drainListeners({
  listeners,
  limits,
  clock,
  logger,
  abortCalls,
}: DrainDeps): Promise<void> {
  const drained = Promise.all(listeners.map((listener) => listener.drain()));
  if (!(await isWithin(drained, limits.drainMs, clock))) {
    const connections = listeners.reduce((sum, listener) => sum + listener.connections(), 0);
    logger.warn('calls outlast the shutdown and are cut off', { connections });
    abortCalls();
    await isWithin(drained, limits.abortMs, clock);
  }
  await Promise.all(listeners.map((listener) => listener[Symbol.asyncDispose]()));
}

async function isWithin(
  promise: Promise<unknown>,
  ms: number,
  clock: Pick<Clock, 'sleep'>,
): Promise<boolean> {
  const timer = new AbortController();
  const late = clock.sleep(ms, timer.signal).then(
    () => false,
    () => false,
  );
  const isInTime = await Promise.race([promise.then(() => true), late]);
  timer.abort();
  return isInTime;
}
