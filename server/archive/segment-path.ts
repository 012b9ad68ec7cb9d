import { isUuid } from './record-id.ts';

/**
 * Where a segment's file lies below the archive's directory: `segments/<shard>/<segment id>.warc.gz`. The
 * shard is the id's last two digits, which spread evenly also when ids begin with a time. Throws a RangeError
 * when the id is not a lower-case UUID, so that no path leaves the directory.
 */
export function toSegmentPath(segmentId: string): string {
  if (!isUuid(segmentId)) throw new RangeError('a segment id is a lower-case UUID');
  return `segments/${segmentId.slice(-2)}/${segmentId}.warc.gz`;
}
