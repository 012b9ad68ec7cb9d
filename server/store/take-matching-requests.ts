import type { Transaction } from './database.ts';
import { requestColumns, type WaitingRequest } from './load-waiting-requests.ts';

/** Which pending requests of a tenant: what is not undefined must match. */
export type RequestSelection = {
  readonly tenantId: string;
  readonly requestIds: readonly string[] | undefined;
  readonly label: string | undefined;
  /** Where the request is now: a redirect may have led it to another site than it was asked of. */
  readonly site: string | undefined;
};

/** A request that was taken out, and the site whose queues waited with it. */
export type TakenRequest = WaitingRequest & { readonly site: string };

/** Removes matching requests, any `limit` of them; they are the caller's to end (D1). */
export async function takeMatchingRequests(
  sql: Transaction,
  selection: RequestSelection,
  limit: number,
): Promise<TakenRequest[]> {
  return sql<TakenRequest[]>`
    with chosen as materialized (
      select r.request_id from request r where ${isSelected(sql, selection)} limit ${limit}
    ), own as (
      select request_id from request where request_id in (select request_id from chosen)
      order by request_id for update
    ), gone as (
      delete from request r using own where r.request_id = own.request_id returning r.*
    )
    select 0 as place, ${requestColumns(sql)}, r.site
    from gone r join tenant t on t.tenant_id = r.tenant_id
  `;
}

/** Says whether a matching request is left. */
export async function hasMatchingRequest(sql: Transaction, selection: RequestSelection): Promise<boolean> {
  const rows = await sql`select 1 from request r where ${isSelected(sql, selection)} limit 1`;
  return rows.length > 0;
}

function isSelected(sql: Transaction, { tenantId, requestIds, label, site }: RequestSelection) {
  return sql`
    r.tenant_id = ${tenantId}
    ${requestIds === undefined ? sql`` : sql`and r.request_id = any(${requestIds as string[]})`}
    ${label === undefined ? sql`` : sql`and r.label = ${label}`}
    ${site === undefined ? sql`` : sql`and r.origin in (select origin from origin where site = ${site})`}
  `;
}
