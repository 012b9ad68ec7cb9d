import type { Transaction } from './database.ts';
import { RESULT_BYTES, type FoundResult } from './found-result.ts';
import { isOfStream, type ResultStreamKey } from './result-stream-key.ts';

/** The results of a stream that have these numbers, by number. */
export async function findResultsByNumber(
  sql: Transaction,
  key: ResultStreamKey,
  numbers: readonly bigint[],
): Promise<ReadonlyMap<bigint, FoundResult>> {
  if (numbers.length === 0) return new Map();
  const found = await sql<FoundResult[]>`
    select r.result_id as "resultId", r.number, ${sql.unsafe(RESULT_BYTES)} as bytes
    from (
      select result_id, number, url, final_url, redirects, document, capture_id from result
      where ${isOfStream(sql, key)} and number = any(${numbers.map(String)}::text[]::bigint[])
    ) r
    left join capture c on c.capture_id = r.capture_id
  `;
  return new Map(found.flatMap((result) => (result.number === null ? [] : [[result.number, result]])));
}
