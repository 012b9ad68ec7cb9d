import type { Stretch } from '../../store/erasures.ts';
import type { ScannedMember } from '../scan-segment.ts';

/** Reads members from an offset to the end of the file, as `scanSegment` does. */
export type ScanFrom = (from: number) => AsyncIterable<ScannedMember>;

/**
 * The members that lie in none of the `named` stretches, which come in the order of the file. Only the gaps are read. The
 * member at 0 is the `warcinfo`. Bytes in a gap that can't be read go as one stretch up to the gap's end, since nothing
 * that counts is named there. `fileBytes` is where the file ends.
 */
export async function findOrphans(
  scan: ScanFrom,
  named: readonly Stretch[],
  fileBytes: number,
): Promise<Stretch[]> {
  const orphans: Stretch[] = [];
  for (const gap of toGaps(named, fileBytes)) {
    for await (const member of scan(gap.start)) {
      const { offset } = member;
      if (offset >= gap.end) break;
      const length = member.state === 'unreadable' ? gap.end - offset : member.length;
      if (offset === 0) continue;
      // One that reaches into a named member shows rows that are wrong, which verifying reports.
      if (offset + length <= gap.end) orphans.push({ offset, length });
    }
  }
  return orphans;
}

function toGaps(named: readonly Stretch[], fileBytes: number): { start: number; end: number }[] {
  const gaps: { start: number; end: number }[] = [];
  let covered = 0;
  for (const { offset, length } of named) {
    if (offset > covered) gaps.push({ start: covered, end: offset });
    covered = Math.max(covered, offset + length);
  }
  if (fileBytes > covered) gaps.push({ start: covered, end: fileBytes });
  return gaps;
}
