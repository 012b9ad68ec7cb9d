import type { Pool, Transaction } from './database.ts';
import { isOfStream, type ResultStreamKey } from './result-stream-key.ts';

/** A consumer group of a stream, and what it has acknowledged without a gap, as last seen; or before its beginning. */
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

/**
 * Records a group that begins with `firstNumber`; one that exists keeps its place. Undefined when the stream has
 * `groupsMax` others.
 */
export async function insertResultGroup(
  sql: Transaction,
  key: ResultStreamKey,
  { group, firstNumber, groupsMax }: { group: string; firstNumber: bigint; groupsMax: number },
): Promise<ResultGroupRow | undefined> {
  await sql`
    insert into result_group (tenant_id, group_name, lane, cell, generation, acknowledged_through)
    select ${key.tenantId}, ${group}, ${key.lane}, ${key.cell}, ${key.generation}, ${firstNumber - 1n}
    where (select count(*) from result_group where ${isOfStream(sql, key)}) < ${groupsMax}
    on conflict do nothing
  `;
  const [row] = await sql<ResultGroupRow[]>`
    select group_name as "group", acknowledged_through as "acknowledgedThrough" from result_group
    where ${isOfStream(sql, key)} and group_name = ${group}
  `;
  return row;
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
