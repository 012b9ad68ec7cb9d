/** When a segment is closed. */
export type SegmentLimits = { bytesMax: number; ageMsMax: number };

/**
 * The limits of a segment in a directory: long enough that files are few, young enough that orphans are soon
 * judged and a purge need not wait.
 */
export const SEGMENT_LIMITS: SegmentLimits = { bytesMax: 256_000_000, ageMsMax: 10 * 60_000 };

/** Whether a segment is to be closed, and why. */
export type SegmentCloseDecision = { close: false } | { close: true; reason: 'bytes' | 'age' };

/**
 * Decides whether an open segment takes no further capture. Its age counts from when it was opened. The append
 * that crosses the length still goes in, whole, so that a file may be longer by one capture.
 */
export function decideSegmentClose(
  segment: { bytes: number; ageMs: number },
  limits: SegmentLimits = SEGMENT_LIMITS,
): SegmentCloseDecision {
  if (segment.bytes >= limits.bytesMax) return { close: true, reason: 'bytes' };
  if (segment.ageMs >= limits.ageMsMax) return { close: true, reason: 'age' };
  return { close: false };
}
