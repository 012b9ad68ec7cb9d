import type { Transaction } from './database.ts';
import type { StoredRecord } from './insert-captures.ts';

/** Where a record of a capture lies. */
export type RecordLocation = StoredRecord & { readonly captureId: string; readonly segmentId: string };

/** The records of captures in the order of the ids, then as they lie in their segment; only of those that are held (T1). */
export async function loadCaptureRecords(
  sql: Transaction,
  captureIds: readonly string[],
): Promise<RecordLocation[]> {
  if (captureIds.length === 0) return [];
  return sql<RecordLocation[]>`
    select r.capture_id as "captureId", r.segment_id as "segmentId", r.record_type as type, r.record_offset as "offset",
      r.record_length as length
    from unnest(${captureIds as string[]}::uuid[]) with ordinality as n(capture_id, place)
    join capture_record r on r.capture_id = n.capture_id
    order by n.place, r.record_offset
  `;
}
