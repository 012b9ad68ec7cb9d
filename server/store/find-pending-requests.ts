import type { Transaction } from './database.ts';
import { pendingColumns, pendingState, type PendingRequest, type PendingState } from './pending-request.ts';

/** Which pending requests of a tenant: what is not undefined must match. */
export type PendingSelection = {
  readonly tenantId: string;
  readonly site: string | undefined;
  readonly host: string | undefined;
  readonly state: PendingState | undefined;
  readonly band: number | undefined;
  readonly label: string | undefined;
  /** Goes on after this one. */
  readonly afterRequestId: string | undefined;
};

/** Pending requests in the order of their ids, at most `limit`. Site and host are where a request is now. */
export async function findPendingRequests(
  sql: Transaction,
  selection: PendingSelection,
  leasedUrls: readonly string[],
  limit: number,
): Promise<PendingRequest[]> {
  const { tenantId, site, host, state, band, label, afterRequestId } = selection;
  return sql<PendingRequest[]>`
    select ${pendingColumns(sql, leasedUrls)}
    from request r
    join origin o on o.origin = r.origin
    join host h on h.host = o.host
    where r.tenant_id = ${tenantId}
      ${site === undefined ? sql`` : sql`and o.site = ${site}`}
      ${host === undefined ? sql`` : sql`and o.host = ${host}`}
      ${state === undefined ? sql`` : sql`and ${pendingState(sql, leasedUrls)} = ${state}`}
      ${band === undefined ? sql`` : sql`and r.band = ${band}`}
      ${label === undefined ? sql`` : sql`and r.label = ${label}`}
      ${afterRequestId === undefined ? sql`` : sql`and r.request_id > ${afterRequestId}`}
    order by r.request_id
    limit ${limit}
  `;
}
