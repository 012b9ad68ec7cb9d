import type { Transaction } from './database.ts';

/** An origin that can be leased now, if its address has a free slot. */
export type LeaseCandidate = {
  readonly site: string;
  readonly origin: string;
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  readonly dialAddress: string;
  /** The key of its slots. */
  readonly address: string;
  readonly siteDelayMs: number;
  readonly slotSpacingMs: number;
  readonly robotsState: 'rules' | 'allow_all' | 'disallow_all' | null;
  readonly robotsVersion: string | null;
  readonly robotsContent: Uint8Array | null;
  readonly robotsAgeMs: number | null;
  readonly robotsStale: boolean;
};

/** For each site the origin that has been due for longest, with what a lease of it tells the worker. */
export async function loadLeaseCandidates(
  sql: Transaction,
  sites: readonly string[],
): Promise<LeaseCandidate[]> {
  return sql<LeaseCandidate[]>`
    select distinct on (q.site)
      q.site, q.origin, o.scheme, o.host, o.port, h.dial_address as "dialAddress", h.address,
      s.delay_ms as "siteDelayMs", a.slot_spacing_ms as "slotSpacingMs",
      o.robots_state as "robotsState", o.robots_version as "robotsVersion", c.content as "robotsContent",
      extract(epoch from decorum.now() - o.robots_fetched_at)::float8 * 1000 as "robotsAgeMs",
      o.robots_fresh_until is null or o.robots_fresh_until <= decorum.now() as "robotsStale"
    from origin_queue q
    join tenant t on t.tenant_id = q.tenant_id and t.suspended_at is null
    join site s on s.site = q.site
    join origin o on o.origin = q.origin
    join host h on h.host = o.host
    join address a on a.address = h.address
    left join robots_copy c on c.version = o.robots_version
    where q.site = any(${sites as string[]}) and q.next_due_at <= decorum.now()
      and h.dial_address is not null and h.expires_at > decorum.now()
      and coalesce(o.robots_retry_at <= decorum.now(), true) and coalesce(h.blocked_until <= decorum.now(), true)
    order by q.site, q.next_due_at, q.origin
  `;
}
