import type { Pool, Transaction } from './database.ts';
import { isOfStream, type ResultStreamKey } from './result-stream-key.ts';

/** A consumer group of a stream, and what it has acknowledged without a gap, as last seen. */
export type ResultGroupRow = { readonly group: string; readonly acknowledgedThrough: bigint };

/** The groups of a stream, by name. */
export async function loadResultGroups(
  sql: Pool | Transaction,
  key: ResultStreamKey,
): Promise<ResultGroupRow[]> {
  return sql<ResultGroupRow[]>`
    select group_name as "group", acknowledged_through as "acknowledgedThrough" from result_group
    where ${isOfStream(sql, key)} order by group_name
  `;
}

/** Records a group; a repeat changes nothing. */
export async function insertResultGroup(
  sql: Transaction,
  key: ResultStreamKey,
  group: string,
): Promise<void> {
  await sql`
    insert into result_group (tenant_id, group_name, lane, cell, generation)
    values (${key.tenantId}, ${group}, ${key.lane}, ${key.cell}, ${key.generation})
    on conflict do nothing
  `;
}

/** Forgets a group; false when there is none of that name. */
export async function deleteResultGroup(
  sql: Transaction,
  key: ResultStreamKey,
  group: string,
): Promise<boolean> {
  const gone = await sql`
    delete from result_group where ${isOfStream(sql, key)} and group_name = ${group}
  `;
  return gone.count > 0;
}

/** Records how far a group is; never back. */
export async function saveAcknowledged(
  sql: Pool | Transaction,
  key: ResultStreamKey,
  { group, acknowledgedThrough }: ResultGroupRow,
): Promise<void> {
  await sql`
    update result_group set acknowledged_through = ${acknowledgedThrough}
    where ${isOfStream(sql, key)} and group_name = ${group} and acknowledged_through < ${acknowledgedThrough}
  `;
}
