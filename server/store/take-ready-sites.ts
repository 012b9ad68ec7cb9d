import type { Transaction } from './database.ts';
import type { QueuePair } from './rearm-queues.ts';

/** Sites whose queue row this transaction holds: with their gate open and held, or found too early. */
export type TakenSites = { readonly ready: readonly string[]; readonly early: readonly string[] };

/**
 * Takes the pair's oldest ready queues, then the gates of their sites, and waits for neither. A gate is read in a
 * statement after the one that locked its queue: whatever ends a lease re-arms queues after it moved the gate.
 */
export async function takeReadySites(
  sql: Transaction,
  { tenantId, band }: QueuePair,
  limit: number,
): Promise<TakenSites> {
  const queues = await sql<{ site: string }[]>`
    select site from site_queue
    where tenant_id = ${tenantId} and band = ${band} and ready_at <= decorum.now()
    order by ready_at limit ${limit}
    for no key update skip locked
  `;
  if (queues.length === 0) return { ready: [], early: [] };
  const sites = queues.map(({ site }) => site);
  const open = await sql<{ site: string }[]>`
    select site from site
    where site = any(${sites}) and ready_at <= decorum.now()
    for no key update skip locked
  `;
  const ready = new Set(open.map(({ site }) => site));
  return { ready: sites.filter((site) => ready.has(site)), early: sites.filter((site) => !ready.has(site)) };
}
