import type { Transaction } from './database.ts';
import { isOfStream, type ResultStreamKey } from './result-stream-key.ts';

/** How far a stream is, and who works on it. */
export type ResultStreamRow = {
  readonly numberedThrough: bigint;
  readonly publishedThrough: bigint;
  readonly publisher: string | null;
};

/**
 * Locks a stream's row until the transaction ends, made if it is missing. A statement of its own: what follows sees all
 * numbers that were given before.
 */
export async function lockResultStream(sql: Transaction, key: ResultStreamKey): Promise<ResultStreamRow> {
  const lock = () => sql<ResultStreamRow[]>`
    select numbered_through as "numberedThrough", published_through as "publishedThrough", publisher
    from result_stream where ${isOfStream(sql, key)}
    for no key update
  `;
  const [row] = await lock();
  if (row !== undefined) return row;
  await sql`
    insert into result_stream (tenant_id, lane, cell, generation)
    values (${key.tenantId}, ${key.lane}, ${key.cell}, ${key.generation})
    on conflict do nothing
  `;
  const [made] = await lock();
  if (made === undefined) throw new Error('a stream of results has no row');
  return made;
}
