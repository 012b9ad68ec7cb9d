import type { Transaction } from './database.ts';
import { isOfStream, type ResultStreamKey } from './result-stream-key.ts';

/** The last number given in a stream; 0 before the first. */
export async function loadNumberedThrough(sql: Transaction, key: ResultStreamKey): Promise<bigint> {
  const [row] = await sql<{ numberedThrough: bigint }[]>`
    select numbered_through as "numberedThrough" from result_stream where ${isOfStream(sql, key)}
  `;
  return row?.numberedThrough ?? 0n;
}
