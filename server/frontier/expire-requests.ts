import type { Pool } from '../store/database.ts';
import { insertResults } from '../store/insert-results.ts';
import { loadInstallation } from '../store/load-installation.ts';
import { rearmQueues } from '../store/rearm-queues.ts';
import { takeOverdueRequests, type OverdueRequest } from '../store/take-overdue-requests.ts';
import { transact } from '../store/transact.ts';
import { toEndedResult } from './end-without-attempt.ts';

const BATCH = 500;

/** Ends requests whose deadline has come as EXPIRED (D1). Answers how many; call again until it is 0. */
export async function expireRequests(pool: Pool): Promise<number> {
  return transact(pool, async (sql) => {
    const overdue = await takeOverdueRequests(sql, BATCH);
    if (overdue.length === 0) return 0;
    const results = overdue.map((request) =>
      toEndedResult(request, { kind: 'EXPIRED', outcome: null, detail: lastWait(request) }),
    );
    await insertResults(sql, await loadInstallation(sql), results);
    await rearmQueues(
      sql,
      overdue.map(({ site }) => site),
    );
    return overdue.length;
  });
}

function lastWait({ lastOutcome, lastDetail, attempts }: OverdueRequest): string {
  if (lastOutcome === null) return 'the deadline came before its turn';
  return `the deadline came after ${attempts} attempts; last ${lastOutcome}${lastDetail === null || lastDetail === '' ? '' : `: ${lastDetail}`}`;
}
