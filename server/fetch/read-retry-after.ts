import { parseRetryAfter } from '@decorum/policy/politeness/parse-retry-after.ts';
import { fieldValues, type Fields } from './fields.ts';

/** The longest wait that a report can carry, in seconds (32 bits); the platform caps it at a day anyway. */
const RETRY_AFTER_S_MAX = 0xffff_ffff;

/** Reads an answer's `Retry-After` in seconds; undefined when there is no usable one. `wallMs` is our own clock. */
export function readRetryAfter(fields: Fields, wallMs: number): number | undefined {
  const seconds = parseRetryAfter({
    values: fieldValues(fields, 'retry-after'),
    now: new Date(wallMs),
    dateHeader: fieldValues(fields, 'date')[0],
  });
  return seconds === null ? undefined : Math.min(seconds, RETRY_AFTER_S_MAX);
}
