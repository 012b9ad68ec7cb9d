const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const EXPECTED = 'expected a number and a unit, as 500ms, 90s, 15m, 1h or 7d';

/** Reads a duration as people write it, in milliseconds. Throws a `RangeError` that says what is expected. */
export function parseDuration(text: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|m|h|d)$/.exec(text.trim());
  const unitMs = UNIT_MS[match?.[2] ?? ''];
  if (match?.[1] === undefined || unitMs === undefined) throw new RangeError(EXPECTED);
  return Math.round(Number(match[1]) * unitMs);
}

/** Reads an instant: ISO 8601, or a duration from `nowMs` on. Throws a `RangeError` that says what is expected. */
export function parseInstant(text: string, nowMs: number): Date {
  if (/^\d{4}-\d{2}-\d{2}/.test(text)) {
    const date = new Date(text);
    if (!Number.isNaN(date.getTime())) return date;
  }
  try {
    return new Date(nowMs + parseDuration(text));
  } catch {
    throw new RangeError('expected an instant, as 2030-01-31T12:00:00Z, or a duration from now, as 2h');
  }
}
