import type { Transaction } from './database.ts';
import type { QueuePair } from './rearm-queues.ts';

/**
 * Moves queues that were found too early to the time of their site's gate. The caller holds the queues' locks, taken in
 * an earlier statement. A gate that another lease is taking just now leaves the queue where it is.
 */
export async function postponeQueues(
  sql: Transaction,
  { tenantId, band }: QueuePair,
  sites: readonly string[],
): Promise<void> {
  await sql`
    update site_queue q set ready_at = s.ready_at
    from site s
    where s.site = q.site and q.site = any(${sites as string[]}) and q.tenant_id = ${tenantId} and q.band = ${band}
      and s.ready_at > q.ready_at and s.ready_at > decorum.now()
  `;
}
