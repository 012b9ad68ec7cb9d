import type { Transaction } from './database.ts';

/**
 * Makes the queues of sites tell the truth again. Everything that changes what a queue waits for (the end of a lease, an
 * address, robots.txt, a request that ended or moved) calls it last in its transaction.
 *
 * Queue rows are locked first and requests are looked at in later statements, so that an open Submit is either waited
 * for or seen: no wake-up is lost. Queues without requests are removed.
 */
export async function rearmQueues(sql: Transaction, sites: readonly string[]): Promise<void> {
  if (sites.length === 0) return;
  const sorted = [...new Set(sites)].sort();
  await sql`
    select 1 from site_queue where site = any(${sorted}) order by site, tenant_id, band for no key update
  `;
  await sql`
    select 1 from origin_queue where site = any(${sorted}) order by site, origin, tenant_id, band for no key update
  `;
  await rearmLockedQueues(sql, sorted);
}

/** One tenant's band: the queues that a Lease looks at. */
export type QueuePair = { readonly tenantId: string; readonly band: number };

/**
 * The same for a caller that holds the queues' locks already, for all queues of the sites or those of one pair. The lock
 * of a `site_queue` row covers the `origin_queue` rows of its site, tenant and band.
 */
export async function rearmLockedQueues(
  sql: Transaction,
  sites: readonly string[],
  pair?: QueuePair,
): Promise<void> {
  const ofPair =
    pair === undefined ? sql`` : sql`and q.tenant_id = ${pair.tenantId} and q.band = ${pair.band}`;
  await sql`
    with truth as (
      select q.site, q.origin, q.tenant_id, q.band, r.due_at,
        greatest(
          r.due_at, h.blocked_until, decorum.robots_wait(o.robots_answered_at, o.robots_ask_at),
          case when h.dial_address is null or h.expires_at <= decorum.now() or h.parked_on is not null
            then timestamptz 'infinity' end
        ) as next_due_at
      from origin_queue q
      join origin o on o.origin = q.origin
      join host h on h.host = o.host
      left join lateral (
        select due_at from request
        where origin = q.origin and tenant_id = q.tenant_id and band = q.band
        order by due_at limit 1
      ) r on true
      where q.site = any(${sites as string[]}) ${ofPair}
    ), gone as (
      delete from origin_queue q using truth t
      where q.site = t.site and q.origin = t.origin and q.tenant_id = t.tenant_id and q.band = t.band
        and t.due_at is null
    )
    update origin_queue q set next_due_at = t.next_due_at
    from truth t
    where q.site = t.site and q.origin = t.origin and q.tenant_id = t.tenant_id and q.band = t.band
      and t.due_at is not null and q.next_due_at <> t.next_due_at
  `;
  await sql`
    with truth as (
      select q.site, q.tenant_id, q.band, min(o.next_due_at) as next_due_at, min(s.ready_at) as gate_at
      from site_queue q
      join site s on s.site = q.site
      left join origin_queue o on o.site = q.site and o.tenant_id = q.tenant_id and o.band = q.band
      where q.site = any(${sites as string[]}) ${ofPair}
      group by q.site, q.tenant_id, q.band
    ), gone as (
      delete from site_queue q using truth t
      where q.site = t.site and q.tenant_id = t.tenant_id and q.band = t.band and t.next_due_at is null
    )
    update site_queue q set ready_at = greatest(t.next_due_at, t.gate_at)
    from truth t
    where q.site = t.site and q.tenant_id = t.tenant_id and q.band = t.band
      and t.next_due_at is not null and q.ready_at <> greatest(t.next_due_at, t.gate_at)
  `;
}
