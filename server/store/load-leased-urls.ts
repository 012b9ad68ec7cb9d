import type { Pool } from './database.ts';

/**
 * The URLs that are being fetched right now on origins where the tenant has requests, whoever they were leased for: one
 * fetch is every tenant's who waits for its URL. Read as the platform, since leases are nobody's; only to be matched
 * against the tenant's own requests.
 */
export async function loadLeasedUrls(pool: Pool, tenantId: string): Promise<string[]> {
  const rows = await pool<{ url: string }[]>`
    select distinct i.url
    from lease l
    cross join lateral unnest(l.request_ids, l.urls) as i(request_id, url)
    where l.ended_at is null and l.expires_at > decorum.now() and i.request_id <> all(l.reported_ids)
      and exists (
        select from origin_queue q where q.site = l.site and q.origin = l.origin and q.tenant_id = ${tenantId}
      )
  `;
  return rows.map(({ url }) => url);
}
