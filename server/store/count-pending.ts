import type { Transaction } from './database.ts';

/** How many requests a tenant has pending, of one site or of all; counted up to `max`. */
export async function countPending(
  sql: Transaction,
  tenantId: string,
  site: string | undefined,
  max: number,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from (
      select 1 from request
      where tenant_id = ${tenantId}
        ${site === undefined ? sql`` : sql`and origin in (select origin from origin where site = ${site})`}
      limit ${max}
    ) counted
  `;
  return row?.count ?? 0;
}
