import type { Transaction } from './database.ts';
import type { QueuePair } from './rearm-queues.ts';

/** While all four slots are leased, nobody knows when one is free; asked again after this. */
const SLOT_POLL_MS = 250;

/** Moves queues whose address has no free slot to the time of its next one. The caller holds the queues' locks. */
export async function awaitAddressSlots(
  sql: Transaction,
  { tenantId, band }: QueuePair,
  waits: readonly { readonly site: string; readonly address: string }[],
): Promise<void> {
  await sql`
    update site_queue q set ready_at = n.ready_at
    from (
      select w.site, greatest(
        coalesce(min(s.ready_at) filter (where s.ready_at < 'infinity'), '-infinity'),
        decorum.now() + make_interval(secs => ${SLOT_POLL_MS / 1_000})
      ) as ready_at
      from unnest(${waits.map(({ site }) => site)}::text[], ${waits.map(({ address }) => address)}::text[])
        as w(site, address)
      left join address_slot s on s.address = w.address
      group by w.site
    ) n
    where q.site = n.site and q.tenant_id = ${tenantId} and q.band = ${band}
  `;
}
