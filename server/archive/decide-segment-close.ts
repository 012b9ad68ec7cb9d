/** A segment this long is closed. The append that crosses it still goes in, whole. */
export const SEGMENT_BYTES_MAX = 256_000_000;

/** A segment this old is closed, so that orphans can be judged and purges need not wait. */
export const SEGMENT_AGE_MS_MAX = 10 * 60_000;

/** Whether a segment is to be closed, and why. */
export type SegmentCloseDecision = { close: false } | { close: true; reason: 'bytes' | 'age' };

/** Decides whether an open segment takes no further capture. Its age counts from when it was opened. */
export function decideSegmentClose(segment: { bytes: number; ageMs: number }): SegmentCloseDecision {
  if (segment.bytes >= SEGMENT_BYTES_MAX) return { close: true, reason: 'bytes' };
  if (segment.ageMs >= SEGMENT_AGE_MS_MAX) return { close: true, reason: 'age' };
  return { close: false };
}
