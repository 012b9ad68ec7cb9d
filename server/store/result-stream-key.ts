import type postgres from 'postgres';
import type { Pool, Transaction } from './database.ts';

/** Results of a lane are numbered and delivered on their own. */
export type ResultLane = 'urgent' | 'bulk';

/** What results are numbered in: each of these counts from 1, without gaps. */
export type ResultStreamKey = {
  readonly tenantId: string;
  readonly lane: ResultLane;
  readonly cell: number;
  readonly generation: number;
};

/** The condition that a row belongs to a stream. */
export function isOfStream(sql: Pool | Transaction, key: ResultStreamKey): postgres.Fragment {
  const { tenantId, lane, cell, generation } = key;
  return sql`tenant_id = ${tenantId} and lane = ${lane} and cell = ${cell} and generation = ${generation}`;
}
