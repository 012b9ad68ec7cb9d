/** A stream at the broker and what the record says of it. */
export type StreamComparison = {
  /** The last number that the broker's stream holds or held; undefined when there is no such stream. */
  readonly lastNumber: bigint | undefined;
  readonly publishedThrough: bigint;
  readonly numberedThrough: bigint;
  /** The first result that is still kept; undefined when none is. */
  readonly oldestNumber: bigint | undefined;
  /** The least that any consumer group has acknowledged; undefined without groups. */
  readonly acknowledgedThrough: bigint | undefined;
};

/**
 * What makes broker and record agree.
 * - `none`: they do
 * - `make`: there is no stream (yet, or any more); a new one begins with `firstNumber`
 * - `resume`: publication goes on after `publishedThrough`, further on (an acknowledgement was lost) or further back (the
 *   broker lost its tail)
 * - `remake`: the broker lost so much that what follows its last number is not kept any more: only a stream that begins
 *   with `firstNumber` can go on
 * - `foreign`: the broker holds numbers that were never given; nothing may be published into that stream (D6)
 */
export type StreamRepair =
  | { readonly kind: 'none' }
  | { readonly kind: 'make' | 'remake'; readonly firstNumber: bigint }
  | { readonly kind: 'resume'; readonly publishedThrough: bigint }
  | { readonly kind: 'foreign'; readonly lastNumber: bigint };

/** Decides how a stream is put right. A lost stream is filled again with what not every group has acknowledged. */
export function decideStreamRepair(comparison: StreamComparison): StreamRepair {
  const { lastNumber, publishedThrough, numberedThrough } = comparison;
  const oldest = comparison.oldestNumber ?? numberedThrough + 1n;
  const unacknowledged = min((comparison.acknowledgedThrough ?? 0n) + 1n, publishedThrough + 1n);
  const firstNumber = oldest > unacknowledged ? oldest : unacknowledged;
  if (lastNumber === undefined) return { kind: 'make', firstNumber };
  if (lastNumber > numberedThrough) return { kind: 'foreign', lastNumber };
  if (lastNumber < numberedThrough && oldest > lastNumber + 1n) return { kind: 'remake', firstNumber };
  return lastNumber === publishedThrough
    ? { kind: 'none' }
    : { kind: 'resume', publishedThrough: lastNumber };
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
