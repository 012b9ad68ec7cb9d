import type { Transaction } from './database.ts';

/** When the newest capture of a URL that the tenant holds (T1) was fetched; undefined when it holds none. */
export async function findLastCaptured(
  sql: Transaction,
  tenantId: string,
  urlHash: Uint8Array,
): Promise<Date | undefined> {
  const [row] = await sql<{ fetchedAt: Date }[]>`
    select c.fetched_at as "fetchedAt"
    from capture c join holder h on h.capture_id = c.capture_id and h.tenant_id = ${tenantId}
    where c.url_hash = ${urlHash}
    order by c.fetched_at desc limit 1
  `;
  return row?.fetchedAt;
}
