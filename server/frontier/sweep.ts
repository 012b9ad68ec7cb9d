import type { Pool } from '../store/database.ts';
import { rearmQueues } from '../store/rearm-queues.ts';
import { sweepLeases } from '../store/sweep-leases.ts';
import { transact } from '../store/transact.ts';

const BATCH = 100;

/**
 * Ends leases that expired without a word; their requests wait again, behind the lock delay (M7). Answers how many; call
 * again until it is 0.
 */
export async function sweepExpiredLeases(pool: Pool, lockDelayMs: number): Promise<number> {
  return transact(pool, async (sql) => {
    const sites = await sweepLeases(sql, lockDelayMs, BATCH);
    await rearmQueues(sql, sites);
    return sites.length;
  });
}
