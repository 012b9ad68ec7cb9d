/**
 * Background jobs: each runs again and again until the process ends, on its own, and never twice at once in a process. A
 * job that finds a full batch goes on at once; one that fails is logged and tried again after its period.
 */
import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import type { WakeUp } from './wake-up.ts';

/** A background job. */
export type Job = {
  readonly name: string;
  readonly periodMs: number;
  /** What happens when two nodes run it at once, for operators. */
  readonly ifTwoRun: string;
  /** Does one batch; answers how much it did, 0 when nothing was left. */
  readonly run: () => Promise<number>;
};

/** What running jobs takes. */
export type JobDeps = {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly wakeUp: WakeUp;
  /** Notes a run where operators look; called at most every ten seconds a job. */
  readonly record: (job: Job, startedAgoMs: number, error: string | null) => Promise<void>;
};

const RECORD_EVERY_MS = 10_000;

/** Starts the jobs. Disposing stops them and waits for the batches under way. */
export function runJobs(deps: JobDeps, jobs: readonly Job[]): AsyncDisposable {
  const stop = new AbortController();
  const loops = jobs.map((job) => repeat(deps, job, stop.signal));
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(loops);
    },
  };
}

async function repeat(deps: JobDeps, job: Job, signal: AbortSignal): Promise<void> {
  let recordedMs = -Infinity;
  let lastError: string | null = null;
  while (!signal.aborted) {
    const startedMs = deps.clock.monotonicMs();
    const { done, error } = await runOnce(deps, job);
    if (error !== lastError || startedMs - recordedMs >= RECORD_EVERY_MS) {
      recordedMs = startedMs;
      lastError = error;
      await deps.record(job, deps.clock.monotonicMs() - startedMs, error).catch(() => undefined);
    }
    if (done === 0) await deps.wakeUp.wait(job.periodMs, signal);
  }
}

async function runOnce({ logger }: JobDeps, job: Job): Promise<{ done: number; error: string | null }> {
  try {
    return { done: await job.run(), error: null };
  } catch (error) {
    logger.warn('a job failed', { job: job.name }, error);
    return { done: 0, error: error instanceof Error ? error.name : 'unknown' };
  }
}
