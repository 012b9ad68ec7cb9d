import type { Pool } from './database.ts';

/**
 * The part of a site's fetches that is a tenant's while all who wait there now do so: its weight by the sum of weights, 1
 * when it is alone. Read as the platform; it says how many others there are to nobody but by this number.
 */
export async function loadSiteShare(pool: Pool, tenantId: string, site: string): Promise<number> {
  const [row] = await pool<{ share: number }[]>`
    select t.weight::float8 / (t.weight + coalesce((
      select sum(o.weight) from tenant o
      where o.tenant_id <> t.tenant_id and o.suspended_at is null and exists (
        select from origin_queue q where q.site = ${site} and q.tenant_id = o.tenant_id and q.next_due_at < 'infinity'
      )
    ), 0)) as share
    from tenant t where t.tenant_id = ${tenantId}
  `;
  return row?.share ?? 1;
}
