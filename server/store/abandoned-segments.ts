import type { Pool } from './database.ts';
import { withStore } from './transact.ts';

/** What could not be taken over or erased is tried again after this, should somebody have mended it. */
export const UPKEEP_RETRY_MS = 600_000;

/**
 * Open segments whose writer has been silent for the lock delay after its lease expired, longest first. The same ones are
 * found until somebody closes them; those whose takeover failed are left out for a while.
 */
export async function findAbandonedSegments(
  pool: Pool,
  lockDelayMs: number,
  limit: number,
): Promise<string[]> {
  const rows = await withStore(
    () => pool<{ segmentId: string }[]>`
      select segment_id as "segmentId" from segment
      where state = 'open' and expires_at <= decorum.now() - make_interval(secs => ${lockDelayMs / 1_000})
        and coalesce(upkeep_failed_at <= decorum.now() - make_interval(secs => ${UPKEEP_RETRY_MS / 1_000}), true)
      order by expires_at limit ${limit}
    `,
  );
  return rows.map(({ segmentId }) => segmentId);
}

/** The end of the last member that a row names, 0 without rows; undefined when the segment is not open any more. */
export async function loadAbandonedSegment(pool: Pool, segmentId: string): Promise<number | undefined> {
  const [row] = await withStore(
    () => pool<{ namedThrough: bigint }[]>`
      select coalesce(
        (select max(r.record_offset + r.record_length) from capture_record r where r.segment_id = s.segment_id), 0
      ) as "namedThrough"
      from segment s where s.segment_id = ${segmentId} and s.state = 'open'
    `,
  );
  return row === undefined ? undefined : Number(row.namedThrough);
}

/** Closes a segment that was taken over; its writer can't have renewed it since it was found abandoned. */
export async function closeAbandonedSegment(pool: Pool, segmentId: string, bytes: number): Promise<void> {
  await withStore(
    () => pool`
      update segment set state = 'closed', bytes = ${bytes}, closed_at = decorum.now(), upkeep_failed_at = null
      where segment_id = ${segmentId} and state = 'open'
    `,
  );
}

/** Notes that a segment's file is not what its rows say. */
export async function noteFailedUpkeep(pool: Pool, segmentId: string): Promise<void> {
  await withStore(
    () => pool`update segment set upkeep_failed_at = decorum.now() where segment_id = ${segmentId}`,
  );
}
