import type { Transaction } from './database.ts';

/**
 * Puts the hosts of sites' queues that have no fresh address on the resolver's list, unless they stand there. Skips hosts
 * that the resolver is writing just now: it re-arms their queues itself.
 */
export async function askForAddresses(sql: Transaction, sites: readonly string[]): Promise<void> {
  if (sites.length === 0) return;
  await sql`
    with waiting as (
      select h.host from host h
      where h.resolve_at is null and (h.dial_address is null or h.expires_at <= decorum.now())
        and h.host in (
          select o.host from origin_queue q join origin o on o.origin = q.origin where q.site = any(${sites as string[]})
        )
      for no key update of h skip locked
    )
    update host set resolve_at = decorum.now() from waiting where host.host = waiting.host
  `;
}
