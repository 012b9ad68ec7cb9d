import type { Transaction } from './database.ts';
import { requestColumns, type WaitingRequest } from './load-waiting-requests.ts';

/** A request whose deadline has come, and what it last met. */
export type OverdueRequest = WaitingRequest & {
  readonly site: string;
  readonly lastOutcome: string | null;
  readonly lastDetail: string | null;
};

/** Removes requests past their deadline, oldest first, at most `limit`; they are the caller's to end (D1). */
export async function takeOverdueRequests(sql: Transaction, limit: number): Promise<OverdueRequest[]> {
  return sql<OverdueRequest[]>`
    with overdue as (
      select request_id from request where deadline <= decorum.now()
      order by deadline limit ${limit} for update skip locked
    ), gone as (
      delete from request r using overdue where r.request_id = overdue.request_id returning r.*
    )
    select 0 as place, ${requestColumns(sql)}, r.site, r.last_outcome as "lastOutcome", r.last_detail as "lastDetail"
    from gone r join tenant t on t.tenant_id = r.tenant_id
  `;
}
