import type { Transaction } from './database.ts';
import type { QueuePair } from './rearm-queues.ts';

/** A tenant's band that has a site whose time has come. */
export type ReadyPair = QueuePair & { readonly weight: number };

/** Bands 0 to 7. */
const BANDS = 8;

/** Which pairs have something to lease now: one index probe per tenant and band. Suspended tenants have none. */
export async function loadReadyPairs(sql: Transaction): Promise<ReadyPair[]> {
  return sql<ReadyPair[]>`
    select t.tenant_id as "tenantId", b.band, t.weight
    from tenant t
    cross join generate_series(0, ${BANDS - 1}) as b(band)
    where t.suspended_at is null
      and exists (
        select from site_queue q
        where q.tenant_id = t.tenant_id and q.band = b.band and q.ready_at <= decorum.now()
      )
  `;
}
