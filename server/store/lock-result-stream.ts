import type { Transaction } from './database.ts';
import { isOfStream, type ResultStreamKey } from './result-stream-key.ts';

/** How far a stream is. */
export type ResultStreamRow = { readonly numberedThrough: bigint; readonly publishedThrough: bigint };

/**
 * Locks a stream's row for its publisher until the transaction ends. Undefined when another publisher has taken it
 * meanwhile. A statement of its own: what follows sees all numbers that were given before.
 */
export async function lockResultStream(
  sql: Transaction,
  key: ResultStreamKey,
  publisher: string,
): Promise<ResultStreamRow | undefined> {
  const [row] = await sql<ResultStreamRow[]>`
    select numbered_through as "numberedThrough", published_through as "publishedThrough" from result_stream
    where ${isOfStream(sql, key)} and publisher = ${publisher}
    for no key update
  `;
  return row;
}
