import type { Transaction } from './database.ts';

/** Removes pending requests; answers those that were still there, which are the caller's to end (D1). */
export async function endRequests(
  sql: Transaction,
  requestIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (requestIds.length === 0) return new Set();
  const gone = await sql<{ requestId: string }[]>`
    delete from request using (
      select request_id from request where request_id = any(${requestIds as string[]}) order by request_id for update
    ) own
    where request.request_id = own.request_id
    returning request.request_id as "requestId"
  `;
  return new Set(gone.map(({ requestId }) => requestId));
}
