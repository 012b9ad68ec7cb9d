import type { Pool, Transaction } from './database.ts';
import { withStore } from './transact.ts';

/** Bytes of a segment from one member's border to another. */
export type Stretch = { readonly offset: number; readonly length: number };

/** A stretch that is, or will be, one tombstone. */
export type Erasure = Stretch & {
  /** Of the tombstone's record, as is `createdAt`. */
  readonly recordId: string;
  readonly createdAt: Date;
  readonly isDone: boolean;
};

/** Orders the erasure of members of a segment; answers how many were new. To be committed before the first byte is written. */
export async function insertErasures(
  pool: Pool,
  segmentId: string,
  reason: 'orphan',
  members: readonly Stretch[],
): Promise<number> {
  if (members.length === 0) return 0;
  const rows = await withStore(
    () => pool`
      insert into erasure (segment_id, record_offset, record_length, reason)
      select ${segmentId}, n."offset", n.length, ${reason}
      from jsonb_to_recordset(${pool.json(members)}) as n("offset" bigint, length bigint)
      on conflict do nothing returning 1
    `,
  );
  return rows.length;
}

/** A segment's erasures in the order of the file. */
export async function loadErasures(pool: Pool | Transaction, segmentId: string): Promise<Erasure[]> {
  const rows = await withStore(
    () => pool<{ offset: bigint; length: bigint; recordId: string; createdAt: Date; isDone: boolean }[]>`
      select record_offset as "offset", record_length as length, record_id as "recordId", created_at as "createdAt",
        done_at is not null as "isDone"
      from erasure where segment_id = ${segmentId} order by record_offset
    `,
  );
  return rows.map((row) => ({ ...row, offset: Number(row.offset), length: Number(row.length) }));
}

/** Notes that all erasures of a segment are done and durable. */
export async function finishErasures(pool: Pool, segmentId: string): Promise<void> {
  await withStore(
    () => pool`
      update erasure set done_at = decorum.now() where segment_id = ${segmentId} and done_at is null
    `,
  );
}
