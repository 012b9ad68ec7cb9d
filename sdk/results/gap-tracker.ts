import { DecorumError } from '../client/decorum-error.ts';

/** Watches that the numbers of a stream come without gaps. */
export type GapTracker = {
  /** A number has come; the order does not matter. */
  observe(number: number, nowMs: number): void;
  /** Numbers that have been missing for longer than `graceMs`; each is answered once. */
  takeOverdue(nowMs: number, graceMs: number): number[];
};

/** More than this at once is no late delivery: the stream was cut. */
export const GAP_MAX = 100_000;

/**
 * A tracker for the numbers after `deliveredThrough`: those were given to somebody before, and a part of them may be
 * acknowledged. Numbers are expected in turn; one that is skipped is missing until it comes, since a delivery that was
 * lost with a connection comes again later. Throws `RESULT_GAP` on a jump of more than `GAP_MAX`.
 */
export function createGapTracker(deliveredThrough: number): GapTracker {
  const missingSince = new Map<number, number>();
  let highest = deliveredThrough;
  return {
    observe(number, nowMs) {
      missingSince.delete(number);
      if (number <= highest) return;
      if (number - highest > GAP_MAX) throw resultGap(`${highest + 1} to ${number - 1}`);
      for (let skipped = highest + 1; skipped < number; skipped += 1) missingSince.set(skipped, nowMs);
      highest = number;
    },
    takeOverdue(nowMs, graceMs) {
      const overdue: number[] = [];
      for (const [number, since] of missingSince) {
        if (nowMs - since <= graceMs) continue;
        overdue.push(number);
        missingSince.delete(number);
      }
      return overdue;
    },
  };
}

/** Results that the platform promised and does not have; `numbers` as in "3" or "3 to 5". */
export function resultGap(numbers: string): DecorumError {
  return new DecorumError({
    code: 'data_loss',
    reason: 'RESULT_GAP',
    message: `The results numbered ${numbers} were not delivered and their record is gone. Read on with a new group, and report it.`,
    metadata: { numbers },
  });
}
