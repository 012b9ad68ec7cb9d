import type { Transaction } from './database.ts';
import { requestColumns, type WaitingRequest } from './load-waiting-requests.ts';

/** Pending requests of a host, over all tenants, at most `limit`. */
export async function loadRequestsOfHost(
  sql: Transaction,
  host: string,
  limit: number,
): Promise<WaitingRequest[]> {
  return sql<WaitingRequest[]>`
    select 0 as place, ${requestColumns(sql)}
    from origin o
    join request r on r.origin = o.origin
    join tenant t on t.tenant_id = r.tenant_id
    where o.host = ${host} and r.due_at < 'infinity'
    order by r.request_id limit ${limit}
  `;
}
