import type { Pool } from './database.ts';
import { withStore } from './transact.ts';

/** A segment as operators see it. */
export type ListedSegment = {
  readonly segmentId: string;
  readonly residency: string;
  readonly workerId: string;
  readonly state: 'open' | 'closed';
  /** Null while it is open. */
  readonly bytes: bigint | null;
  readonly openedAt: Date;
  readonly closedAt: Date | null;
  /** Members that rows name. */
  readonly members: bigint;
  /** Searched for orphans: it changes only by erasure from here on. */
  readonly isSettled: boolean;
  /** Its file is not what its rows say. */
  readonly needsPerson: boolean;
};

const PAGE_SIZE = 200;

/** All segments in the order of their ids, in pages, each a statement of its own; or the one that is asked for. */
export async function* listSegments(pool: Pool, only?: string): AsyncGenerator<ListedSegment, void> {
  for (let after: string | undefined; ;) {
    const condition =
      only === undefined
        ? pool`${after ?? null}::uuid is null or s.segment_id > ${after ?? null}`
        : pool`s.segment_id = ${only}`;
    const page = await withStore(
      () => pool<ListedSegment[]>`
        select s.segment_id as "segmentId", s.residency, s.worker_id as "workerId", s.state, s.bytes,
          s.opened_at as "openedAt", s.closed_at as "closedAt",
          (select count(*) from capture_record r where r.segment_id = s.segment_id) as members,
          s.orphans_checked_at is not null as "isSettled", s.upkeep_failed_at is not null as "needsPerson"
        from segment s where ${condition} order by s.segment_id limit ${PAGE_SIZE}
      `,
    );
    yield* page;
    after = page.at(-1)?.segmentId;
    if (page.length < PAGE_SIZE || only !== undefined) return;
  }
}

/** Those of the ids that no segment has. */
export async function findUnknownSegments(pool: Pool, segmentIds: readonly string[]): Promise<string[]> {
  const rows = await withStore(
    () => pool<{ segmentId: string }[]>`
      select n.segment_id as "segmentId" from unnest(${segmentIds as string[]}::uuid[]) as n(segment_id)
      where not exists (select from segment s where s.segment_id = n.segment_id) order by 1
    `,
  );
  return rows.map(({ segmentId }) => segmentId);
}
