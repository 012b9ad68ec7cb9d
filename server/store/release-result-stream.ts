import type { Pool, Transaction } from './database.ts';
import { isOfStream, type ResultStreamKey } from './result-stream-key.ts';

/** Gives a stream back that this publisher took; nobody takes it again before `afterMs` are over. */
export async function releaseResultStream(
  sql: Pool | Transaction,
  key: ResultStreamKey,
  publisher: string,
  afterMs: number,
): Promise<void> {
  await sql`
    update result_stream
    set publisher = null, publisher_expires_at = decorum.now() + make_interval(secs => ${afterMs / 1_000})
    where ${isOfStream(sql, key)} and publisher = ${publisher}
  `;
}
