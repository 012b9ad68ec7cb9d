import type { Transaction } from './database.ts';

/** A lease that was lost, and the gates it held. */
export type SweptLease = { readonly site: string; readonly address: string; readonly slot: number };

/**
 * Ends leases that expired without a word and shuts their gates for the lock delay (M7). Answers them: the
 * caller gives their slots away and re-arms the sites' queues. At most `limit` a call; safe to run twice at once.
 */
export async function sweepLeases(
  sql: Transaction,
  lockDelayMs: number,
  limit: number,
): Promise<readonly SweptLease[]> {
  const lost = await sql<{ site: string; address: string; slot: number; readyAt: Date }[]>`
    with lost as (
      select lease_id from lease where ended_at is null and expires_at <= decorum.now()
      order by expires_at limit ${limit} for no key update skip locked
    )
    update lease l set ended_at = decorum.now(), ended_how = 'expired'
    from lost where l.lease_id = lost.lease_id
    returning l.site, l.address, l.slot, l.expires_at + make_interval(secs => ${lockDelayMs / 1_000}) as "readyAt"
  `;
  if (lost.length === 0) return [];
  const rows = sql.json(lost.map((lease) => ({ ...lease, readyAt: lease.readyAt.toISOString() })));
  await sql`
    with gates as (
      select s.site from site s where s.site = any(${lost.map(({ site }) => site)}) order by s.site for no key update
    )
    update site s set ready_at = greatest(n."readyAt", s.shut_until, decorum.now())
    from gates, jsonb_to_recordset(${rows}) as n(site text, "readyAt" timestamptz)
    where s.site = gates.site and s.site = n.site
  `;
  await sql`
    update address_slot s set ready_at = greatest(n."readyAt", decorum.now())
    from jsonb_to_recordset(${rows}) as n(address text, slot smallint, "readyAt" timestamptz)
    where s.address = n.address and s.slot = n.slot
  `;
  return lost;
}
