import type { Transaction } from './database.ts';
import { RESULT_BYTES, type FoundResult } from './found-result.ts';
import { isOfStream, type ResultStreamKey } from './result-stream-key.ts';

/** The results of a stream from a number on that are still kept, in order, at most `resultsMax`. */
export async function findResultsFrom(
  sql: Transaction,
  key: ResultStreamKey,
  fromNumber: bigint,
  resultsMax: number,
): Promise<readonly FoundResult[]> {
  return sql<FoundResult[]>`
    select r.result_id as "resultId", r.number, ${sql.unsafe(RESULT_BYTES)} as bytes
    from (
      select result_id, number, url, final_url, redirects, document, capture_id from result
      where ${isOfStream(sql, key)} and number >= ${fromNumber} order by number limit ${resultsMax}
    ) r
    left join capture c on c.capture_id = r.capture_id
    order by r.number
  `;
}
