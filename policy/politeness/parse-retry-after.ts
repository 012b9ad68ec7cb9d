import { parseHttpDate } from './parse-http-date.ts';

/** The longest wait that `Retry-After` can impose, in seconds (M6). */
export const RETRY_AFTER_MAX_S = 86_400;

/** The field lines of one answer, and the clocks to read a date by. */
export type RetryAfterInput = {
  /** The value of each `Retry-After` field line, in order. */
  readonly values: readonly string[];
  /** The local clock. */
  readonly now: Date;
  /** The answer's `Date` field: a date in Retry-After was made by the same clock. */
  readonly dateHeader?: string | undefined;
};

/**
 * Reads `Retry-After` (RFC 9110 §10.2.3): seconds to wait, whole and rounded up, at least 0 (a date that has passed),
 * uncapped. Nothing when it is absent, neither delay-seconds (digits only) nor an HTTP-date, or on more than one line,
 * which the field does not allow. A date counts from the answer's own `Date`, else from `now`.
 */
export function parseRetryAfter({ values, now, dateHeader }: RetryAfterInput): number | null {
  if (values.length !== 1) return null;
  const value = trimBlanks(values[0] ?? '');
  if (/^[0-9]+$/.test(value)) return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
  const at = parseHttpDate(value, now);
  if (at === null) return null;
  const from = parseHttpDate(trimBlanks(dateHeader ?? ''), now) ?? now;
  return Math.max(0, Math.ceil((at.getTime() - from.getTime()) / 1000));
}

/** Caps what `parseRetryAfter` read, in seconds: a server may shut itself for a day, not for ever. */
export function capRetryAfter(seconds: number): number {
  return Math.min(seconds, RETRY_AFTER_MAX_S);
}

/** Optional whitespace is blanks and tabs (RFC 9110 §5.6.3); `trim()` would take more, an unanchored pattern n² steps. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
