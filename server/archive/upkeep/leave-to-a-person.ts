import { noteFailedUpkeep } from '../../store/abandoned-segments.ts';
import type { UpkeepDeps } from './upkeep-deps.ts';

/** Logs, counts and notes that a segment's file can't be put in order by a program; it is tried again much later. */
export async function leaveToAPerson(
  { pool, logger, counters }: UpkeepDeps,
  segmentId: string,
  task: 'takeover' | 'orphans',
  error: unknown,
): Promise<void> {
  logger.error('a segment needs a person: see decorum archive verify', { segmentId, task }, error);
  counters.failures.add(1, { task });
  await noteFailedUpkeep(pool, segmentId);
}
