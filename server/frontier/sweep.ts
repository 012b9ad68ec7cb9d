import type { Pool } from '../store/database.ts';
import { rearmQueues } from '../store/rearm-queues.ts';
import { sweepLeases } from '../store/sweep-leases.ts';
import { transact } from '../store/transact.ts';
import { takeStrandedSlots, unparkHosts } from '../store/unpark-hosts.ts';

const BATCH = 100;

/**
 * Ends leases that expired without a word; their requests wait again, behind the lock delay (M7). Answers how many; call
 * again until it is 0.
 */
export async function sweepExpiredLeases(pool: Pool, lockDelayMs: number): Promise<number> {
  return transact(pool, async (sql) => {
    const lost = await sweepLeases(sql, lockDelayMs, BATCH);
    const unparked = await unparkHosts(sql, lost);
    await rearmQueues(sql, [...lost.map(({ site }) => site), ...unparked]);
    return lost.length;
  });
}

/**
 * Gives free slots to hosts that wait beside them, because the host for whom a slot was kept did not come. Answers how many
 * hosts; call again until it is 0.
 */
export async function unparkStrandedHosts(pool: Pool): Promise<number> {
  return transact(pool, async (sql) => {
    const sites = await unparkHosts(sql, await takeStrandedSlots(sql, BATCH));
    await rearmQueues(sql, sites);
    return sites.length;
  });
}
