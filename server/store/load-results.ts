import type { Transaction } from './database.ts';
import { RESULT_COLUMNS, type ResultRow } from './result-row.ts';

/** Whole results by their ids; those that are gone are left out. */
export async function loadResults(
  sql: Transaction,
  resultIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, ResultRow>> {
  if (resultIds.length === 0) return new Map();
  const rows = await sql<(ResultRow & { resultId: bigint })[]>`
    select r.result_id as "resultId", ${sql.unsafe(RESULT_COLUMNS)} from result r
    where r.result_id = any(${resultIds.map(String)}::text[]::bigint[])
  `;
  return new Map(rows.map(({ resultId, ...row }) => [resultId, row]));
}
