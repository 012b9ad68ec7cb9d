import type { Transaction } from './database.ts';

/** A tenant's claim on a site, and the site's clock (T3). */
export type SiteShare = {
  readonly site: string;
  readonly tenantId: string;
  readonly weight: number;
  readonly virtualTime: number;
  readonly siteVirtualTime: number;
};

/** The shares of all tenants that have queues on the sites. The caller holds the sites' rows. */
export async function loadShares(sql: Transaction, sites: readonly string[]): Promise<SiteShare[]> {
  return sql<SiteShare[]>`
    select s.site, t.tenant_id as "tenantId", t.weight, coalesce(h.virtual_time, 0) as "virtualTime",
      s.virtual_time as "siteVirtualTime"
    from site s
    join (select distinct site, tenant_id from site_queue where site = any(${sites as string[]})) q on q.site = s.site
    join tenant t on t.tenant_id = q.tenant_id and t.suspended_at is null
    left join share h on h.site = s.site and h.tenant_id = t.tenant_id
    where s.site = any(${sites as string[]})
  `;
}

/** What serving a site did to its clock and to those of the tenants that were served. */
export type ServedSite = {
  readonly site: string;
  readonly siteVirtualTime: number;
  readonly virtualTimes: ReadonlyMap<string, number>;
};

/** Writes the clocks of sites. The caller holds the sites' rows, which protect the shares as well. */
export async function saveShares(sql: Transaction, served: readonly ServedSite[]): Promise<void> {
  const sites = served.map(({ site, siteVirtualTime }) => ({ site, virtualTime: siteVirtualTime }));
  const shares = served.flatMap(({ site, virtualTimes }) =>
    [...virtualTimes].map(([tenantId, virtualTime]) => ({ site, tenantId, virtualTime })),
  );
  await sql`
    update site s set virtual_time = n."virtualTime"
    from jsonb_to_recordset(${sql.json(sites)}) as n(site text, "virtualTime" float8)
    where s.site = n.site
  `;
  await sql`
    insert into share (site, tenant_id, virtual_time)
    select site, "tenantId", "virtualTime"
    from jsonb_to_recordset(${sql.json(shares)}) as n(site text, "tenantId" text, "virtualTime" float8)
    order by site, "tenantId"
    on conflict (site, tenant_id) do update set virtual_time = excluded.virtual_time
  `;
}
