import {
  closeAbandonedSegment,
  findAbandonedSegments,
  loadAbandonedSegment,
} from '../../store/abandoned-segments.ts';
import { tryLockSegment } from '../../store/lock-segment.ts';
import { DomainError } from '../../runtime/domain-error.ts';
import { leaveToAPerson } from './leave-to-a-person.ts';
import type { UpkeepDeps } from './upkeep-deps.ts';

const BATCH = 10;

/**
 * Takes over the segments of dead writers: open, and silent for `lockDelayMs` after their lease expired. Each is cut back
 * to its last good member, never below what a row names, and closed; one without file and rows is closed empty. A file
 * that is missing or shorter than its rows say stays as it is, for a person.
 *
 * Answers how many were closed; call again until it is 0. Safe to run twice at once: one holds the segment's lock, the
 * other passes it over. A crash in the middle is repeated.
 */
export async function takeOverSegments(deps: UpkeepDeps, lockDelayMs: number): Promise<number> {
  let closed = 0;
  for (const segmentId of await findAbandonedSegments(deps.pool, lockDelayMs, BATCH)) {
    if (await takeOver(deps, segmentId)) closed += 1;
  }
  return closed;
}

async function takeOver(deps: UpkeepDeps, segmentId: string): Promise<boolean> {
  const { pool, logger, counters } = deps;
  await using lock = await tryLockSegment(pool, segmentId, 'exclusive');
  if (lock === undefined) return false;
  const namedThrough = await loadAbandonedSegment(pool, segmentId);
  if (namedThrough === undefined) return false;
  let bytes: number;
  try {
    bytes = await recover(deps, segmentId, namedThrough, lock.check);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    await leaveToAPerson(deps, segmentId, 'takeover', error);
    return false;
  }
  await closeAbandonedSegment(pool, segmentId, bytes);
  counters.takeovers.add(1);
  logger.info('a segment was taken over', { segmentId, bytes, namedThrough });
  return true;
}

async function recover(
  { archive }: UpkeepDeps,
  segmentId: string,
  namedThrough: number,
  checkLock: () => Promise<void>,
): Promise<number> {
  try {
    return (await archive.recoverSegment(segmentId, namedThrough, checkLock)).bytes;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing || namedThrough > 0) throw error;
    await archive.reserveSegment(segmentId);
    return 0;
  }
}
