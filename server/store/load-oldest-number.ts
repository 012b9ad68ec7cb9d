import type { Transaction } from './database.ts';
import { isOfStream, type ResultStreamKey } from './result-stream-key.ts';

/** The lowest number of a stream whose result is still kept; undefined when none is. */
export async function loadOldestNumber(sql: Transaction, key: ResultStreamKey): Promise<bigint | undefined> {
  const [row] = await sql<{ number: bigint }[]>`
    select number from result where ${isOfStream(sql, key)} and number is not null order by number limit 1
  `;
  return row?.number;
}
