import type { CaptureRow } from '../../store/capture-row.ts';
import type { Transaction } from '../../store/database.ts';
import { loadCaptureRecords, type RecordLocation } from '../../store/load-capture-records.ts';
import { toDamaged } from './content-error.ts';
import { loadReadableCapture } from './load-readable-capture.ts';

/** Where the body of a capture lies, and the capture that it was stored with: the same, or the one that it revisits. */
export type BodyLocation = { readonly holder: CaptureRow; readonly record: RecordLocation };

/** Finds the body of a capture that the tenant may read; what a revisit points at must be readable too. */
export async function locateBody(
  sql: Transaction,
  tenantId: string,
  captureId: string,
): Promise<BodyLocation> {
  const capture = await loadReadableCapture(sql, tenantId, captureId);
  const { revisitOfCaptureId } = capture;
  const holder =
    revisitOfCaptureId === null ? capture : await loadReadableCapture(sql, tenantId, revisitOfCaptureId);
  const records = await loadCaptureRecords(sql, [holder.captureId]);
  const record = records.find(({ type }) => type === 'response');
  if (record === undefined) throw toDamaged(new Error('a capture has no response record'));
  return { holder, record };
}
