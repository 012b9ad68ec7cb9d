import type { LoopEntry } from './web-log.ts';

/** A second in which the web's event loop was late by more than this proves nothing: it is void. */
export const ALLOWANCE_MS_MAX = 50;

/** How late the web may have seen something: the event loop's largest delay around an instant, or null in a void second. */
export type Allowance = {
  at(instant: number): number | null;
  /** Where the run of void seconds that holds an instant begins; the instant itself outside of one. */
  voidStart(instant: number): number;
  /** The share of void time between two instants, 0 to 1. */
  voidShare(from: number, to: number): number;
  maxMs: number;
};

/** Reads the allowances off the log's event-loop entries, which follow each other without gaps. */
export function createAllowance(stretches: readonly LoopEntry[]): Allowance {
  const sorted = stretches.toSorted((a, b) => a.from - b.from);
  const isVoid = (stretch: LoopEntry | undefined): boolean => (stretch?.delayMs ?? 0) > ALLOWANCE_MS_MAX;
  const indexOf = (instant: number): number => {
    let low = 0;
    for (let high = sorted.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((sorted[middle]?.to ?? 0) < instant) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    at(instant) {
      const stretch = sorted[indexOf(instant)];
      return isVoid(stretch) ? null : (stretch?.delayMs ?? 0);
    },
    voidStart(instant) {
      let start = instant;
      for (let index = indexOf(instant); isVoid(sorted[index]); index--) start = sorted[index]?.from ?? start;
      return start;
    },
    voidShare(from, to) {
      let voidMs = 0;
      for (const stretch of sorted)
        if (isVoid(stretch)) voidMs += Math.max(0, Math.min(stretch.to, to) - Math.max(stretch.from, from));
      return to > from ? voidMs / (to - from) : 0;
    },
    maxMs: Math.max(0, ...sorted.filter((stretch) => !isVoid(stretch)).map((stretch) => stretch.delayMs)),
  };
}
