import type { Transaction } from './database.ts';

/** A lease that ends, and how long its worker has been silent towards the site. */
export type EndedLease = {
  readonly leaseId: string;
  readonly site: string;
  readonly address: string;
  readonly slot: number;
  /** Since its last request ended; null when it made none. */
  readonly idleMs: number | null;
};

/**
 * Ends leases and opens their gates: the site's when its pace allows, the slot's a spacing after the last request at the
 * earliest. Gates only move forward. The caller holds the sites' rows and re-arms the queues afterwards.
 */
export async function endLeases(
  sql: Transaction,
  how: 'completed' | 'released',
  leases: readonly EndedLease[],
): Promise<void> {
  if (leases.length === 0) return;
  const rows = sql.json(leases);
  await sql`
    update lease set ended_at = decorum.now(), ended_how = ${how}
    where lease_id = any(${leases.map(({ leaseId }) => leaseId)})
  `;
  await sql`
    update site s set ready_at = greatest(decorum.now(), s.shut_until)
    where s.site = any(${leases.map(({ site }) => site)})
  `;
  await sql`
    update address_slot s set ready_at = greatest(
      decorum.now(),
      decorum.now() - make_interval(secs => n."idleMs" / 1000.0) + make_interval(secs => a.slot_spacing_ms / 1000.0)
    )
    from jsonb_to_recordset(${rows}) as n(address text, slot smallint, "idleMs" float8)
    join address a on a.address = n.address
    where s.address = n.address and s.slot = n.slot
  `;
}
