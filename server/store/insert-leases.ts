import type { Transaction } from './database.ts';

/** A lease as it is written. */
export type NewLease = {
  readonly leaseId: string;
  readonly site: string;
  readonly origin: string;
  readonly address: string;
  readonly slot: number;
  readonly items: readonly { readonly requestId: string; readonly url: string }[];
};

/**
 * Writes the leases and shuts their gates: site, slot and the queue they were found by wait for the lease's end (M1, M2).
 * The caller holds all three. No request row is touched: only one lease holds a site's gate.
 */
export async function insertLeases(
  sql: Transaction,
  workerId: string,
  leaseMs: number,
  leases: readonly NewLease[],
): Promise<void> {
  const rows = leases.map(({ leaseId, site, origin, address, slot, items }) => ({
    lease_id: leaseId,
    site,
    origin,
    address,
    slot,
    request_ids: items.map(({ requestId }) => requestId),
    urls: items.map(({ url }) => url),
  }));
  const json = sql.json(rows);
  await sql`update site set ready_at = 'infinity', shut_until = '-infinity' where site = any(${leases.map(({ site }) => site)})`;
  await sql`
    update address_slot s set ready_at = 'infinity', reserved_host = null, reserved_until = null
    from jsonb_to_recordset(${json}) as n(address text, slot smallint)
    where s.address = n.address and s.slot = n.slot
  `;
  await sql`
    insert into lease (lease_id, worker_id, site, origin, address, slot, request_ids, urls, leased_at, expires_at)
    select lease_id, ${workerId}, site, origin, address, slot, request_ids, urls, decorum.now(),
      decorum.now() + make_interval(secs => ${leaseMs / 1_000})
    from jsonb_to_recordset(${json})
      as n(lease_id uuid, site text, origin text, address text, slot smallint, request_ids uuid[],
        urls text[])
  `;
}
