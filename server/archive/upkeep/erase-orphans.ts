/**
 * D3: what a fenced or lost Complete had appended is named by no row. Once a segment is closed and no lease is left that
 * could still name a member of it, its unnamed members are ordered to be erased (rows, committed), overwritten by
 * tombstones, and the segment is done with for good: nothing is appended to it any more.
 *
 * A crash before the order leaves nothing; after it, the next run finds the order and writes the same bytes again, without
 * reading what may be half overwritten.
 */
import { DomainError } from '../../runtime/domain-error.ts';
import { finishErasures, insertErasures, loadErasures } from '../../store/erasures.ts';
import { loadSegmentRows } from '../../store/load-segment-rows.ts';
import { tryLockSegment, type SegmentLock } from '../../store/lock-segment.ts';
import {
  findUncheckedSegments,
  loadUncheckedSegment,
  saveOrphansChecked,
} from '../../store/unchecked-segments.ts';
import { findOrphans } from './find-orphans.ts';
import { leaveToAPerson } from './leave-to-a-person.ts';
import type { UpkeepDeps } from './upkeep-deps.ts';

const BATCH = 10;

/**
 * Erases the orphans of closed segments. Answers how many segments are done with; call again until it is 0. Safe to run
 * twice at once: one holds the segment's lock, the other passes it over.
 */
export async function eraseOrphans(deps: UpkeepDeps): Promise<number> {
  let done = 0;
  for (const segmentId of await findUncheckedSegments(deps.pool, BATCH)) {
    await using lock = await tryLockSegment(deps.pool, segmentId, 'exclusive');
    if (lock === undefined) continue;
    const bytes = await loadUncheckedSegment(deps.pool, segmentId);
    if (bytes !== undefined && (await eraseOf(deps, lock, segmentId, bytes))) done += 1;
  }
  return done;
}

async function eraseOf(
  deps: UpkeepDeps,
  lock: SegmentLock,
  segmentId: string,
  bytes: number,
): Promise<boolean> {
  const { pool, logger, counters } = deps;
  try {
    const found = await orderErasures(deps, segmentId, bytes);
    counters.orphans.add(found);
    if (found > 0) logger.warn('members that no row names are erased', { segmentId, members: found });
    const pending = (await loadErasures(pool, segmentId)).filter(({ isDone }) => !isDone);
    if (pending.length > 0) await deps.archive.eraseMembers(segmentId, pending, lock.check);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    await leaveToAPerson(deps, segmentId, 'orphans', error);
    return false;
  }
  await finishErasures(pool, segmentId);
  await saveOrphansChecked(pool, segmentId);
  return true;
}

async function orderErasures(
  { pool, archive }: UpkeepDeps,
  segmentId: string,
  bytes: number,
): Promise<number> {
  const fileBytes = await archive.measureSegment(segmentId);
  if (fileBytes < bytes) throw new RangeError(`the file has ${fileBytes} bytes, it was closed with ${bytes}`);
  const named = [...(await loadSegmentRows(pool, segmentId)), ...(await loadErasures(pool, segmentId))];
  named.sort((a, b) => a.offset - b.offset);
  const orphans = await findOrphans((from) => archive.scanSegment(segmentId, from), named, fileBytes);
  return insertErasures(pool, segmentId, 'orphan', orphans);
}
