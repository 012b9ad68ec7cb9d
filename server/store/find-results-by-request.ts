import type { Transaction } from './database.ts';
import { RESULT_BYTES, type FoundResult } from './found-result.ts';

/** What is known of a request: its result, or that it has not ended. */
export type FoundRequest = FoundResult | 'pending';

/** What became of requests, by their ids; those that are neither pending nor kept are left out. */
export async function findResultsByRequest(
  sql: Transaction,
  requestIds: readonly string[],
): Promise<ReadonlyMap<string, FoundRequest>> {
  if (requestIds.length === 0) return new Map();
  // One statement: a request ends and has its result at the same moment.
  const rows = await sql<FoundRow[]>`
    select r.request_id as "requestId", r.result_id as "resultId", r.number, ${sql.unsafe(RESULT_BYTES)} as bytes
    from result r left join capture c on c.capture_id = r.capture_id
    where r.request_id = any(${requestIds as string[]})
    union all
    select request_id, null, null, null from request where request_id = any(${requestIds as string[]})
  `;
  return new Map(
    rows.map(({ requestId, resultId, number, bytes }) => [
      requestId,
      resultId === null ? 'pending' : { resultId, number, bytes: bytes ?? 0 },
    ]),
  );
}

type FoundRow = {
  readonly requestId: string;
  readonly resultId: bigint | null;
  readonly number: bigint | null;
  readonly bytes: number | null;
};
