import type { Pool, Transaction } from './database.ts';
import { withStore } from './transact.ts';

/** A member as the index names it. */
export type SegmentRow = {
  readonly offset: number;
  readonly length: number;
  readonly recordType: 'request' | 'response' | 'revisit' | 'metadata';
  readonly captureId: string;
};

/** The rows of a segment's members in the order of the file. */
export async function loadSegmentRows(pool: Pool | Transaction, segmentId: string): Promise<SegmentRow[]> {
  const rows = await withStore(
    () => pool<(Omit<SegmentRow, 'offset' | 'length'> & { offset: bigint; length: bigint })[]>`
      select record_offset as "offset", record_length as length, record_type as "recordType",
        capture_id as "captureId"
      from capture_record where segment_id = ${segmentId} order by record_offset
    `,
  );
  return rows.map((row) => ({ ...row, offset: Number(row.offset), length: Number(row.length) }));
}
