import type { UpkeepDeps } from '@decorum/server/archive/upkeep/upkeep-deps.ts';
import { createDirectoryArchive } from '@decorum/server/archive/directory-archive.ts';
import { openSegment } from '@decorum/server/store/segments.ts';
import type { TestDatabase } from '../database.ts';
import { createMemoryLogger } from '../results/fixtures.ts';
import { createMemoryCounter } from './memory-counter.ts';

/** Upkeep on a test's database and directory, with counters and log lines to look at. */
export function createUpkeepRig(database: TestDatabase, dir: string) {
  const { logger, lines } = createMemoryLogger();
  const counters = {
    takeovers: createMemoryCounter(),
    orphans: createMemoryCounter(),
    failures: createMemoryCounter(),
  };
  const deps: UpkeepDeps = {
    pool: database.general,
    archive: createDirectoryArchive(dir),
    logger,
    counters,
  };
  return { deps, counters, lines };
}

/** The row of a segment that a worker was given for `leaseMs`. */
export async function insertSegment(
  database: TestDatabase,
  segmentId: string,
  leaseMs = 1_000,
): Promise<void> {
  await openSegment(database.control, { segmentId, workerId: 'w', residency: 'default', leaseMs });
}

/** A segment as the database knows it. */
export async function loadSegment(database: TestDatabase, segmentId: string) {
  const [row] = await database.admin<
    { state: string; bytes: bigint | null; isChecked: boolean; hasFailed: boolean }[]
  >`
    select state, bytes, orphans_checked_at is not null as "isChecked", upkeep_failed_at is not null as "hasFailed"
    from segment where segment_id = ${segmentId}
  `;
  return row;
}
