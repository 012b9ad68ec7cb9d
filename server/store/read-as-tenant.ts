import type { Pool, Transaction } from './database.ts';
import { lockPolicyShared } from './lock-policy.ts';
import { transactAsTenant } from './transact.ts';

/** Reads on behalf of a tenant (T1), with policy held still until the read has ended (L1). */
export async function readAsTenant<T>(
  pool: Pool,
  tenantId: string,
  work: (sql: Transaction) => Promise<T>,
): Promise<T> {
  return transactAsTenant(pool, tenantId, async (sql) => {
    await lockPolicyShared(sql);
    return work(sql);
  });
}
