import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import {
  BACKOFF_MS_MAX,
  decideSitePace,
  DEFAULT_PACE_FLOOR,
  FORGIVE_AFTER_GOOD,
  FORGIVE_AFTER_QUIET_MS,
  forgiveQuietTime,
  initialSitePace,
  PARK_AFTER_STREAK,
  PARK_MS_MAX,
  PARK_MS_MIN,
  siteDelayMs,
  TARGET_DELAY_MS_MAX,
  type PaceFloor,
  type SiteObservation,
  type SitePace,
  type SitePaceDecision,
} from './decide-site-pace.ts';
import { foldSitePace } from './fold-site-pace.ts';

const HOUR_MS = 3_600_000;
const START = initialSitePace(0);
const FLOOR = DEFAULT_PACE_FLOOR;

/** The last decision after observations a second apart. */
function after(
  observations: readonly Omit<SiteObservation, 'atMs'>[],
  floor = FLOOR,
  pace = START,
): SitePaceDecision {
  let decision: SitePaceDecision = { pace, delayMs: siteDelayMs(pace, floor), shutMs: 0 };
  for (const [at, observation] of observations.entries()) {
    decision = decideSitePace(decision.pace, { ...observation, atMs: 1000 * at }, floor);
  }
  return decision;
}

function times<T>(count: number, value: T): T[] {
  return new Array<T>(count).fill(value);
}

const GOOD = { signal: 'GOOD', responseMs: 20 } as const;
const THROTTLED = { signal: 'THROTTLED' } as const;
const TROUBLED = { signal: 'TROUBLED' } as const;

test('a site that answers fast keeps the default delay of a second', () => {
  assert.deepEqual(after(times(5, GOOD)), { pace: { ...START, goodStreak: 5 }, delayMs: 1000, shutMs: 1000 });
});

test('429 and 503 double the delay each, at most to an hour', () => {
  assert.deepEqual(
    [1, 2, 3, 4].map((count) => after(times(count, THROTTLED)).delayMs),
    [2000, 4000, 8000, 16_000],
  );
  assert.equal(after(times(20, THROTTLED)).delayMs, HOUR_MS);
});

test('a longer Retry-After shuts the site without changing its delay, a shorter or missing one shuts it for the delay', () => {
  assert.deepEqual(pick(after([{ ...THROTTLED, retryAfterS: 120 }])), { delayMs: 2000, shutMs: 120_000 });
  for (const retryAfterS of [0, 1, null, undefined]) {
    assert.deepEqual(pick(after([{ ...THROTTLED, retryAfterS }])), { delayMs: 2000, shutMs: 2000 });
  }
  assert.equal(after([{ ...THROTTLED, retryAfterS: Number.MAX_SAFE_INTEGER }]).shutMs, 24 * HOUR_MS);
  assert.equal(after([{ ...TROUBLED, retryAfterS: 120 }]).shutMs, 120_000);
});

test('a single trouble tells of a page, from the second in a row on each doubles the delay', () => {
  assert.deepEqual(
    [1, 2, 3].map((count) => after(times(count, TROUBLED)).delayMs),
    [1000, 2000, 4000],
  );
  assert.equal(after([TROUBLED, GOOD, TROUBLED, GOOD, TROUBLED]).delayMs, 1000);
  assert.equal(after([TROUBLED, THROTTLED]).delayMs, 2000);
});

test('a neutral answer neither breaks a streak nor makes one', () => {
  assert.equal(after([TROUBLED, { signal: 'NEUTRAL' }, TROUBLED]).delayMs, 2000);
  assert.equal(after([{ signal: 'NEUTRAL' }]).pace.badStreak, 0);
});

test('five bad answers in a row park the site for an hour, each failed probe for twice as long, at most a day', () => {
  assert.equal(PARK_AFTER_STREAK, 5);
  assert.equal(PARK_MS_MIN, HOUR_MS);
  assert.equal(PARK_MS_MAX, 24 * HOUR_MS);
  assert.equal(after(times(4, TROUBLED)).pace.parkings, 0);
  const shut = [5, 6, 7, 8, 9, 10, 11].map((count) => after(times(count, TROUBLED)).shutMs / HOUR_MS);
  assert.deepEqual(shut, [1, 2, 4, 8, 16, 24, 24]);
});

test('one successful probe ends the parking, and the next streak starts from an hour again', () => {
  const probed = after([...times(7, TROUBLED), GOOD]);
  assert.deepEqual([probed.pace.parkings, probed.pace.badStreak], [0, 0]);
  assert.ok(probed.shutMs < PARK_MS_MIN);
  assert.equal(after([...times(7, TROUBLED), GOOD, ...times(5, TROUBLED)]).shutMs, HOUR_MS);
});

test('the target is ten times the response time, smoothed and at most a minute', () => {
  const slow = { signal: 'GOOD', responseMs: 1000 } as const;
  assert.ok(Math.abs(after([slow]).delayMs - 2800) < 1e-6);
  assert.ok(Math.abs(after([slow, slow]).delayMs - 4240) < 1e-6);
  assert.ok(Math.abs(after(times(100, slow)).delayMs - 10_000) < 1);
  assert.ok(
    Math.abs(after(times(100, { signal: 'GOOD', responseMs: 30_000 })).delayMs - TARGET_DELAY_MS_MAX) < 1,
  );
  assert.ok(Math.abs(after([...times(100, slow), ...times(100, GOOD)]).delayMs - 1000) < 1);
});

test('the response time of a bad answer, and a missing one, change no target', () => {
  assert.equal(after([{ ...TROUBLED, responseMs: 9000 }]).pace.targetDelayMs, 1000);
  assert.equal(after([{ signal: 'GOOD' }]).pace.targetDelayMs, 1000);
});

test('Crawl-delay is a floor, and back-off doubles what is above it', () => {
  const floor = { ...FLOOR, crawlDelayMs: 30_000 };
  assert.equal(after([GOOD], floor).delayMs, 30_000);
  assert.equal(after([THROTTLED], floor).delayMs, 60_000);
});

test('an override below a second holds when it switches the latency rule off, and back-off still applies', () => {
  const floor: PaceFloor = { minDelayMs: 100, crawlDelayMs: 0, latencyApplies: false };
  assert.equal(after(times(30, { signal: 'GOOD', responseMs: 5000 }), floor).delayMs, 100);
  assert.equal(after([THROTTLED], floor).delayMs, 200);
});

test('ten good answers in a row halve the back-off, until the target is reached', () => {
  assert.equal(FORGIVE_AFTER_GOOD, 10);
  const bad = times(4, THROTTLED);
  assert.equal(after([...bad, ...times(9, GOOD)]).delayMs, 16_000);
  assert.equal(after([...bad, ...times(10, GOOD)]).delayMs, 8000);
  assert.equal(after([...bad, ...times(20, GOOD)]).delayMs, 4000);
  assert.deepEqual(pick(after([...bad, ...times(40, GOOD)])), { delayMs: 1000, shutMs: 1000 });
  assert.equal(after([...bad, ...times(40, GOOD)]).pace.backoffMs, 0);
  assert.equal(after([...bad, ...times(9, GOOD), TROUBLED, ...times(9, GOOD)]).delayMs, 16_000);
});

test('thirty quiet minutes halve the back-off too, each thirty once, counted from when the site may be asked again', () => {
  assert.equal(FORGIVE_AFTER_QUIET_MS, HOUR_MS / 2);
  const { pace } = after([{ ...THROTTLED, retryAfterS: 600 }]);
  const slowed = { ...pace, backoffMs: 64_000 };
  const quiet = (minutes: number): number => siteDelayMs(forgiveQuietTime(slowed, minutes * 60_000));
  assert.deepEqual([0, 39, 40, 69, 70, 100].map(quiet), [64_000, 64_000, 32_000, 32_000, 16_000, 8000]);
  assert.equal(quiet(60 * 24), 1000);
});

test('quiet time is not forgiven twice', () => {
  const pace = { ...START, backoffMs: 64_000 };
  const once = forgiveQuietTime(pace, 40 * 60_000);
  assert.deepEqual(forgiveQuietTime(once, 40 * 60_000), once);
  assert.deepEqual(forgiveQuietTime(once, 60 * 60_000), forgiveQuietTime(pace, 60 * 60_000));
});

test('a fold paces a site by the longest wait of its observations', () => {
  const folded = foldSitePace(START, [
    { signal: 'GOOD', responseMs: 10, atMs: 0 },
    { signal: 'THROTTLED', retryAfterS: 100, atMs: 2000 },
    { signal: 'GOOD', responseMs: 10, atMs: 5000 },
  ]);
  assert.equal(folded.opensAtMs, 102_000);
  assert.equal(siteDelayMs(folded.pace), 2000);
  assert.deepEqual(foldSitePace(START, []), { pace: START, opensAtMs: undefined });
});

const observation = fc.record({
  signal: fc.constantFrom<SiteObservation['signal'][]>('GOOD', 'GOOD', 'NEUTRAL', 'THROTTLED', 'TROUBLED'),
  waitMs: fc.oneof(fc.nat(5000), fc.nat(3 * HOUR_MS)),
  responseMs: fc.option(fc.nat(200_000), { nil: undefined }),
  retryAfterS: fc.option(fc.oneof(fc.nat(200), fc.nat()), { nil: null }),
});
const anyFloor = fc.record({
  minDelayMs: fc.oneof(fc.constant(1000), fc.integer({ min: 10, max: 2 * HOUR_MS })),
  crawlDelayMs: fc.oneof(fc.constant(0), fc.nat(HOUR_MS)),
  latencyApplies: fc.boolean(),
});

/** Runs observations through the decision and hands each step to `check`. */
function walk(
  floor: PaceFloor,
  observations: readonly (Omit<SiteObservation, 'atMs'> & { waitMs: number })[],
  check: (decision: SitePaceDecision, before: SitePace, observed: SiteObservation) => void,
): void {
  let pace = initialSitePace(0, floor);
  let atMs = 0;
  for (const { waitMs, ...rest } of observations) {
    atMs += waitMs;
    const observed = { ...rest, atMs };
    const decision = decideSitePace(pace, observed, floor);
    check(decision, pace, observed);
    pace = decision.pace;
  }
}

test('whatever happens, the delay stays between its floor and its caps', () => {
  fc.assert(
    fc.property(anyFloor, fc.array(observation, { maxLength: 60 }), (floor, observations) => {
      const lowest = Math.max(floor.minDelayMs, floor.crawlDelayMs);
      walk(floor, observations, ({ pace, delayMs, shutMs }) => {
        assert.ok(delayMs >= lowest, `${delayMs} is below ${lowest}`);
        assert.ok(delayMs <= Math.max(lowest, BACKOFF_MS_MAX));
        assert.ok(shutMs >= delayMs);
        assert.ok(shutMs <= Math.max(lowest, PARK_MS_MAX));
        assert.ok(Object.values(pace).every((value) => Number.isFinite(value) && value >= 0));
        assert.ok(pace.targetDelayMs <= Math.max(floor.minDelayMs, TARGET_DELAY_MS_MAX) + 1e-6);
      });
    }),
  );
});

test('a bad answer never speeds a site up, and a wait it asks for is kept up to a day', () => {
  fc.assert(
    fc.property(anyFloor, fc.array(observation, { maxLength: 60 }), (floor, observations) => {
      walk(floor, observations, ({ delayMs, shutMs }, before, { signal, atMs, retryAfterS }) => {
        if (signal !== 'THROTTLED' && signal !== 'TROUBLED') return;
        assert.ok(delayMs >= siteDelayMs(forgiveQuietTime(before, atMs, floor), floor));
        assert.ok(shutMs >= Math.min(1000 * (retryAfterS ?? 0), 24 * HOUR_MS));
      });
    }),
  );
});

test('with good answers alone any back-off ends', () => {
  fc.assert(
    fc.property(anyFloor, fc.array(observation, { maxLength: 40 }), (floor, observations) => {
      let pace = initialSitePace(0, floor);
      let atMs = 0;
      walk(floor, observations, (decision, _before, observed) => {
        pace = decision.pace;
        atMs = observed.atMs;
      });
      const calm = times(300, { signal: 'GOOD', responseMs: 1 } as const);
      const end = foldSitePace(
        pace,
        calm.map((each) => ({ ...each, atMs })),
        floor,
      );
      assert.equal(end.pace.backoffMs, 0);
      assert.ok(siteDelayMs(end.pace, floor) <= Math.max(floor.minDelayMs, floor.crawlDelayMs) + 1);
    }),
  );
});

function pick({ delayMs, shutMs }: SitePaceDecision): { delayMs: number; shutMs: number } {
  return { delayMs, shutMs };
}
