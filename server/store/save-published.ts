import type { Transaction } from './database.ts';
import { isOfStream, type ResultStreamKey } from './result-stream-key.ts';

/**
 * Records that the broker holds all results through `through`; `before` is what was recorded so far. It may go back, when
 * the broker lost what it had. The first time that a result was published stays on it.
 */
export async function savePublished(
  sql: Transaction,
  key: ResultStreamKey,
  { before, through }: { readonly before: bigint; readonly through: bigint },
): Promise<void> {
  if (through === before) return;
  if (through > before) {
    await sql`
      update result set published_at = decorum.now()
      where ${isOfStream(sql, key)} and number > ${before} and number <= ${through} and published_at is null
    `;
  }
  await sql`update result_stream set published_through = ${through} where ${isOfStream(sql, key)}`;
}
