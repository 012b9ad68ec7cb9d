import type { Pool } from './database.ts';
import { withStore } from './transact.ts';

/** A background job as operators see it. */
export type JobRow = {
  readonly name: string;
  readonly periodMs: number;
  readonly ifTwoRun: string;
  readonly lastError: string | null;
};

/** Notes that a job ran: now, and how it ended. */
export async function recordJob(pool: Pool, job: JobRow, startedAgoMs: number): Promise<void> {
  const { name, periodMs, ifTwoRun, lastError } = job;
  await withStore(
    () => pool`
      insert into job (name, period_ms, if_two_run, last_started_at, last_ended_at, last_error)
      values (${name}, ${periodMs}, ${ifTwoRun}, decorum.now() - make_interval(secs => ${startedAgoMs / 1_000}),
        decorum.now(), ${lastError})
      on conflict (name) do update set
        period_ms = excluded.period_ms, if_two_run = excluded.if_two_run, last_started_at = excluded.last_started_at,
        last_ended_at = excluded.last_ended_at, last_error = excluded.last_error
    `,
  );
}
