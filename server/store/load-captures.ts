import { CAPTURE_COLUMNS, type CaptureRow } from './capture-row.ts';
import type { Transaction } from './database.ts';

/** Captures by their ids; those that are gone, or that the transaction's tenant does not hold (T1), are left out. */
export async function loadCaptures(
  sql: Transaction,
  captureIds: readonly string[],
): Promise<ReadonlyMap<string, CaptureRow>> {
  if (captureIds.length === 0) return new Map();
  const rows = await sql<CaptureRow[]>`
    select ${sql.unsafe(CAPTURE_COLUMNS)} from capture c where c.capture_id = any(${captureIds as string[]})
  `;
  return new Map(rows.map((row) => [row.captureId, row]));
}
