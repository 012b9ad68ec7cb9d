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
  /** Null: never answered. */
  readonly robotsAgeMs: number | null;
  /** Null: the origin has no robots.txt, or never answered. */
  readonly robotsVersion: string | null;
  readonly robotsContent: Uint8Array | null;
  /** To be asked again before anything else is fetched. */
  readonly robotsDue: boolean;
};

/**
 * For each site the origin to be leased, with what a lease of it tells the worker: of the tenant whose turn it is by its
 * share (T3), the one that has been due for longest.
 */
export async function loadLeaseCandidates(
  sql: Transaction,
  sites: readonly string[],
): Promise<LeaseCandidate[]> {
  return sql<LeaseCandidate[]>`
    select distinct on (q.site)
      q.site, q.origin, o.scheme, o.host, o.port, h.dial_address as "dialAddress", h.address,
      s.delay_ms as "siteDelayMs", a.slot_spacing_ms as "slotSpacingMs",
      o.robots_version as "robotsVersion", c.content as "robotsContent",
      extract(epoch from decorum.now() - o.robots_answered_at)::float8 * 1000 as "robotsAgeMs",
      coalesce(o.robots_ask_at <= decorum.now(), true) as "robotsDue"
    from origin_queue q
    join tenant t on t.tenant_id = q.tenant_id and t.suspended_at is null
    join site s on s.site = q.site
    join origin o on o.origin = q.origin
    join host h on h.host = o.host
    join address a on a.address = h.address
    left join robots_copy c on c.version = o.robots_version
    left join share x on x.site = q.site and x.tenant_id = q.tenant_id
    where q.site = any(${sites as string[]}) and q.next_due_at <= decorum.now()
      and h.dial_address is not null and h.expires_at > decorum.now() and h.parked_on is null
      and coalesce(decorum.robots_wait(o.robots_answered_at, o.robots_ask_at) <= decorum.now(), true)
      and coalesce(h.blocked_until <= decorum.now(), true)
    order by q.site, greatest(coalesce(x.virtual_time, 0), s.virtual_time), q.tenant_id, q.next_due_at, q.origin
  `;
}
