import { UPKEEP_RETRY_MS } from './abandoned-segments.ts';
import type { Pool } from './database.ts';
import { withStore } from './transact.ts';

/**
 * Closed segments that were not searched for orphans and that no lease can name a member of any more, longest closed
 * first: every lease given out before the segment closed has ended. An expired one ends when the sweep has its row, so that
 * no Complete that found it held is still under way; its rows are seen by every later statement. Those that failed are left
 * out for a while.
 */
export async function findUncheckedSegments(pool: Pool, limit: number): Promise<string[]> {
  const rows = await withStore(
    () => pool<{ segmentId: string }[]>`
      select segment_id as "segmentId" from segment s
      where s.state = 'closed' and s.orphans_checked_at is null
        and not exists (select from lease l where l.ended_at is null and l.leased_at <= s.closed_at)
        and coalesce(s.upkeep_failed_at <= decorum.now() - make_interval(secs => ${UPKEEP_RETRY_MS / 1_000}), true)
      order by s.closed_at limit ${limit}
    `,
  );
  return rows.map(({ segmentId }) => segmentId);
}

/** The length that a segment was closed with; undefined when it has been searched meanwhile. */
export async function loadUncheckedSegment(pool: Pool, segmentId: string): Promise<number | undefined> {
  const [row] = await withStore(
    () => pool<{ bytes: bigint | null }[]>`
      select bytes from segment where segment_id = ${segmentId} and state = 'closed' and orphans_checked_at is null
    `,
  );
  return row === undefined ? undefined : Number(row.bytes ?? 0n);
}

/** Notes that a segment holds no orphan and never will. */
export async function saveOrphansChecked(pool: Pool, segmentId: string): Promise<void> {
  await withStore(
    () => pool`
      update segment set orphans_checked_at = decorum.now(), upkeep_failed_at = null where segment_id = ${segmentId}
    `,
  );
}
