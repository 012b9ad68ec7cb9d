import { capRetryAfter, parseRetryAfter } from '@decorum/policy/politeness/parse-retry-after.ts';
import { judgeEach, type CaseRunner } from './case-runner.ts';

type Delay = number | 'huge' | null;

type RetryAfterCase = {
  readonly id: string;
  readonly retry_after: readonly string[];
  readonly now: string;
  readonly date_header?: string;
  readonly expected_delay_s: Delay;
  readonly either?: readonly Delay[];
  readonly run_with_tz?: readonly string[];
};

const HUGE_S = 1e8;

/** No answer may depend on the zone, so every case is judged in these as well as in those that it names. */
const ZONES = ['UTC', 'Asia/Tokyo', 'America/St_Johns'];

/** Judges what `Retry-After` lines mean in seconds, in several time zones each. */
export const runCases: CaseRunner = (file) => judgeEach(file.cases as readonly RetryAfterCase[], judge);

function judge(one: RetryAfterCase): string | undefined {
  const ownZone = process.env['TZ'];
  try {
    for (const zone of new Set([...ZONES, ...(one.run_with_tz ?? [])])) {
      setZone(zone);
      const failure = judgeHere(one);
      if (failure !== undefined) return `${failure} (TZ ${zone})`;
    }
    return undefined;
  } finally {
    setZone(ownZone);
  }
}

function setZone(zone: string | undefined): void {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
}

function judgeHere(one: RetryAfterCase): string | undefined {
  const seconds = parseRetryAfter({
    values: one.retry_after,
    now: new Date(one.now),
    dateHeader: one.date_header,
  });
  const accepted = [one.expected_delay_s, ...(one.either ?? [])];
  if (accepted.some((delay) => isDelay(seconds, delay))) return undefined;
  return `expected ${String(one.expected_delay_s)}, got ${String(seconds)}`;
}

function isDelay(seconds: number | null, delay: Delay): boolean {
  if (delay !== 'huge') return seconds === delay;
  return seconds !== null && seconds >= HUGE_S && capRetryAfter(seconds) < HUGE_S;
}
