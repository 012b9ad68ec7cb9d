import type { Transaction } from './database.ts';

/** The advisory lock that orders every act on content against changes of policy (L1). */
const POLICY_LOCK = 0x1e9a1;

/**
 * Holds policy still until the transaction ends (L1). A statement of its own, before the one that reads policy: a
 * statement's snapshot is older than the lock it waits for.
 */
export async function lockPolicyShared(sql: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${POLICY_LOCK})`;
}
