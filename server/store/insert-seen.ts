import type { Transaction } from './database.ts';

/** Remembers URL identities for the tenant; answers, in order, whether each was new (exact, never a guess). */
export async function insertSeen(
  sql: Transaction,
  tenantId: string,
  urlKeys: readonly Uint8Array[],
  keyVersion: number,
): Promise<readonly boolean[]> {
  const hexes = urlKeys.map((key) => Buffer.from(key).toString('hex'));
  const fresh = await sql<{ hex: string }[]>`
    insert into seen (tenant_id, url_key, key_version, seen_at)
    select ${tenantId}, decode(k.hex, 'hex'), ${keyVersion}, decorum.now()
    from (select distinct unnest(${hexes}::text[]) as hex) k
    order by k.hex
    on conflict do nothing
    returning encode(url_key, 'hex') as hex
  `;
  const isFresh = new Set(fresh.map(({ hex }) => hex));
  // The first of a batch's equal keys is the new one.
  return hexes.map((hex) => isFresh.delete(hex));
}
