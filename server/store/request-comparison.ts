import type { Pool } from './database.ts';
import { isOfStream, type ResultStreamKey } from './result-stream-key.ts';

/** Lets a stream be compared with the broker's again as soon as possible. */
export async function requestComparison(sql: Pool, key: ResultStreamKey): Promise<void> {
  await sql`update result_stream set compared_at = '-infinity' where ${isOfStream(sql, key)}`;
}
