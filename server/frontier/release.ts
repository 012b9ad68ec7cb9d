import type { Pool } from '../store/database.ts';
import { endLeases } from '../store/end-leases.ts';
import { loadInstallation } from '../store/load-installation.ts';
import { lockLeases } from '../store/lock-leases.ts';
import { rearmQueues } from '../store/rearm-queues.ts';
import { lockSites } from '../store/site-pace.ts';
import { transact } from '../store/transact.ts';
import { unparkHosts } from '../store/unpark-hosts.ts';
import { parseLeaseToken } from './lease-token.ts';

/** What Release stands on. */
export type ReleaseDeps = { readonly pool: Pool; readonly wake: () => void };

/**
 * Gives a lease back before its time: the gates open as if it had ended, its requests wait again. False when the lease is
 * stale; a repeat of what was released is true.
 */
export async function releaseLease(
  { pool, wake }: ReleaseDeps,
  leaseToken: string,
  idleMs: number | undefined,
): Promise<boolean> {
  const isOwn = await transact(pool, async (sql) => {
    const { generation } = await loadInstallation(sql);
    const token = parseLeaseToken(leaseToken);
    if (token?.generation !== generation) return false;
    const [lease] = await lockLeases(sql, [token.leaseId]);
    if (lease?.isHeld !== true) return lease?.isDone === true;
    await lockSites(sql, [lease.site]);
    await endLeases(sql, 'released', [{ ...lease, idleMs: idleMs ?? null }]);
    await rearmQueues(sql, [lease.site, ...(await unparkHosts(sql, [lease]))]);
    return true;
  });
  wake();
  return isOwn;
}
