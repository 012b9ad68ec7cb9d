import type { Transaction } from './database.ts';
import { isOfStream, type ResultStreamKey } from './result-stream-key.ts';

/**
 * Gives the next numbers to committed results that have none, in the order they were written, at most `resultsMax`.
 * Identities of concurrent transactions commit out of order; which row gets which number does not matter, only that none
 * is left out. The caller has locked the stream's row. Answers the last number given.
 */
export async function numberResults(
  sql: Transaction,
  key: ResultStreamKey,
  numberedThrough: bigint,
  resultsMax: number,
): Promise<bigint> {
  const numbered = await sql`
    with fresh as (
      select result_id, row_number() over (order by result_id) as place
      from (
        select result_id from result where number is null and ${isOfStream(sql, key)}
        order by result_id limit ${resultsMax}
      ) r
    )
    update result set number = ${numberedThrough} + fresh.place from fresh
    where result.result_id = fresh.result_id and result.number is null
  `;
  if (numbered.count === 0) return numberedThrough;
  const through = numberedThrough + BigInt(numbered.count);
  const [row] = await sql<{ last: bigint }[]>`
    update result_stream set numbered_through = ${through} where ${isOfStream(sql, key)}
    returning (select max(number) from result where ${isOfStream(sql, key)} and number is not null) as last
  `;
  if (row?.last !== through) throw new Error('D1: numbers of results would have a gap');
  return through;
}
