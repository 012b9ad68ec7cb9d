import type { Pool } from '../store/database.ts';
import { loadNotices } from '../store/load-notices.ts';
import { lockPolicyShared } from '../store/lock-policy.ts';
import { lockResultStream } from '../store/lock-result-stream.ts';
import { numberResults } from '../store/number-results.ts';
import type { ResultStreamKey } from '../store/result-stream-key.ts';
import { savePublished } from '../store/save-published.ts';
import { transact } from '../store/transact.ts';
import type { Broker } from './broker.ts';
import { publishNotices, type Publication } from './publish-notices.ts';
import { streamNameOf } from './stream-name.ts';
import { toResultNotice } from './to-result-notice.ts';

/** Results that are numbered, and notices that are unacknowledged, at a time. */
export const BATCH_RESULTS_MAX = 500;

/** What a publisher's step stands on. */
export type BatchDeps = { readonly pool: Pool; readonly broker: Broker; readonly publisher: string };

/** Numbers the stream's next results and commits, so that no number that was published is ever given again. */
export async function numberBatch({ pool, publisher }: BatchDeps, key: ResultStreamKey): Promise<void> {
  await transact(pool, async (sql) => {
    const row = await lockResultStream(sql, key);
    if (row.publisher !== publisher) return;
    await numberResults(sql, key, row.numberedThrough, BATCH_RESULTS_MAX);
  });
}

/**
 * Publishes the stream's next numbered results and records how far that came; `problem` says what stopped it. L1: policy is
 * held still from before the results are read until the broker has answered. Throws `unavailable` when it cannot be reached.
 */
export async function publishBatch(
  { pool, broker, publisher }: BatchDeps,
  key: ResultStreamKey,
): Promise<Publication & { readonly count: number }> {
  return transact(pool, async (sql) => {
    await lockPolicyShared(sql);
    const { publishedThrough: before, publisher: owner } = await lockResultStream(sql, key);
    const rows = owner === publisher ? await loadNotices(sql, key, before, BATCH_RESULTS_MAX) : [];
    if (rows.length === 0) return { publishedThrough: before, problem: undefined, count: 0 };
    const notices = rows.map((row) => ({ number: row.number, message: toResultNotice(key, row) }));
    const { publishedThrough, problem } = await broker.useJetStream(({ client }) =>
      publishNotices(client, streamNameOf(key), before, notices),
    );
    await savePublished(sql, key, { before, through: publishedThrough });
    return { publishedThrough, problem, count: Number(publishedThrough - before) };
  });
}
