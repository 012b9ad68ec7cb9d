import type { Transaction } from './database.ts';

/** What a host's name resolved to. */
export type Resolution = {
  readonly host: string;
  /** The checked address a worker dials, and the key of its slots; null when there is none. */
  readonly dialAddress: string | null;
  readonly address: string | null;
  readonly addresses: readonly string[];
  /** How long the answer holds. */
  readonly ttlMs: number;
  readonly failures: number;
};

/** A fresh address is asked for again when this share of its time is over, so that leases never wait for it. */
const REFRESH_SHARE = 0.8;

const SLOTS = 4;

/**
 * Writes a host's address and makes sure that the address has its slots. Answers the host's site, whose queues the caller
 * re-arms. A host that no queue waits for leaves the resolver's list.
 */
export async function saveResolution(sql: Transaction, resolution: Resolution): Promise<string | undefined> {
  const { host, dialAddress, address, addresses, ttlMs, failures } = resolution;
  if (address !== null) {
    await sql`insert into address (address) values (${address}) on conflict do nothing`;
    await sql`
      insert into address_slot (address, slot) select ${address}, generate_series(0, ${SLOTS - 1}) on conflict do nothing
    `;
  }
  const [row] = await sql<{ site: string }[]>`
    update host h set
      dial_address = ${dialAddress}, address = ${address},
      parked_on = case when h.address is not distinct from ${address} then h.parked_on end, addresses = ${addresses as string[]}, failures = ${failures},
      expires_at = decorum.now() + make_interval(secs => ${ttlMs / 1_000}),
      resolve_at = case when exists (
        select from origin o join origin_queue q on q.origin = o.origin where o.host = h.host
      ) then decorum.now() + make_interval(secs => ${(ttlMs * (dialAddress === null ? 1 : REFRESH_SHARE)) / 1_000}) end
    where host = ${host}
    returning site
  `;
  return row?.site;
}
