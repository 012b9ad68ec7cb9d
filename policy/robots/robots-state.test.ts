import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { RobotsOutcome, RobotsState } from './robots-state.ts';
import {
  ROBOTS_AGE_MS_MAX,
  ROBOTS_LIFE_MS_MAX,
  ROBOTS_LIFE_MS_MIN,
  advanceRobotsState,
  isRobotsDue,
  robotsInForce,
} from './robots-state.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const T0 = Date.UTC(2026, 10, 30);

function rules(content: string, maxAgeS: number | null = null): RobotsOutcome {
  return { kind: 'RULES', content: Buffer.from(content), maxAgeS };
}

const NONE: RobotsOutcome = { kind: 'UNAVAILABLE', reason: 'STATUS', maxAgeS: null };
const DOWN: RobotsOutcome = { kind: 'UNREACHABLE', reason: 'NETWORK' };

function kindAt(state: RobotsState | null, nowMs: number): string {
  return robotsInForce(state, nowMs).kind;
}

test('before the first answer everything is disallowed, and asking is due', () => {
  assert.ok(isRobotsDue(null, T0));
  assert.deepEqual(robotsInForce(null, T0), { kind: 'DISALLOW_ALL', askAtMs: T0 });
  assert.equal(kindAt(advanceRobotsState(null, DOWN, T0), T0), 'DISALLOW_ALL');
});

test('rules are in force as they came, no rules allow all', () => {
  const state = advanceRobotsState(null, rules('User-agent: *'), T0);
  assert.deepEqual(robotsInForce(state, T0 + 5), {
    kind: 'RULES',
    content: Buffer.from('User-agent: *'),
    ageMs: 5,
  });
  assert.deepEqual(robotsInForce(advanceRobotsState(null, NONE, T0), T0), { kind: 'ALLOW_ALL', ageMs: 0 });
  assert.equal(kindAt(advanceRobotsState(null, rules(''), T0), T0), 'RULES');
});

test('an answer is asked for again when its max-age is over, after 1 hour at least and 12 at most', () => {
  const lifeMs = (maxAgeS: number | null): number =>
    advanceRobotsState(null, rules('', maxAgeS), T0).askAtMs - T0;
  assert.equal(lifeMs(0), HOUR_MS);
  assert.equal(lifeMs(60), ROBOTS_LIFE_MS_MIN);
  assert.equal(lifeMs(2 * 3_600), 2 * HOUR_MS);
  assert.equal(lifeMs(31_536_000), 12 * HOUR_MS);
  assert.equal(lifeMs(Number.MAX_SAFE_INTEGER), ROBOTS_LIFE_MS_MAX);
  assert.equal(lifeMs(null), ROBOTS_LIFE_MS_MAX);
});

test('a new Disallow counts 12 hours after an answer that was to last a year', () => {
  const open = advanceRobotsState(null, rules('', 31_536_000), T0);
  assert.ok(!isRobotsDue(open, T0 + 12 * HOUR_MS - 1));
  assert.ok(isRobotsDue(open, T0 + 12 * HOUR_MS));
  const shut = advanceRobotsState(open, rules('User-agent: *\nDisallow: /'), T0 + 12 * HOUR_MS);
  assert.deepEqual(robotsInForce(shut, T0 + 12 * HOUR_MS), {
    kind: 'RULES',
    content: Buffer.from('User-agent: *\nDisallow: /'),
    ageMs: 0,
  });
});

test('an unreachable origin is asked again after 1, 5 and 15 minutes, then hourly', () => {
  let state: RobotsState | null = null;
  let nowMs = T0;
  const waits: number[] = [];
  for (let failures = 1; failures <= 6; failures += 1) {
    state = advanceRobotsState(state, DOWN, nowMs);
    assert.equal(state.failures, failures);
    assert.ok(!isRobotsDue(state, state.askAtMs - 1));
    assert.ok(isRobotsDue(state, state.askAtMs));
    waits.push((state.askAtMs - nowMs) / MINUTE_MS);
    nowMs = state.askAtMs;
  }
  assert.deepEqual(waits, [1, 5, 15, 60, 60, 60]);
  assert.equal(advanceRobotsState(state, NONE, nowMs).failures, 0);
});

test('the last rules hold up to 24 hours while the origin cannot be asked, then all is disallowed', () => {
  let state = advanceRobotsState(null, rules('a'), T0);
  state = advanceRobotsState(state, DOWN, state.askAtMs);
  state = advanceRobotsState(state, DOWN, state.askAtMs);
  assert.equal(kindAt(state, T0 + ROBOTS_AGE_MS_MAX), 'RULES');
  assert.deepEqual(robotsInForce(state, T0 + ROBOTS_AGE_MS_MAX + 1), {
    kind: 'DISALLOW_ALL',
    askAtMs: state.askAtMs,
  });
});

test('no answer counts after 24 hours, even if nobody has asked since', () => {
  for (const outcome of [rules('a'), NONE]) {
    assert.equal(kindAt(advanceRobotsState(null, outcome, T0), T0 + ROBOTS_AGE_MS_MAX + 1), 'DISALLOW_ALL');
  }
});

test('that there were no rules is no copy to go on with once the origin cannot be asked', () => {
  const state = advanceRobotsState(advanceRobotsState(null, NONE, T0), DOWN, T0 + HOUR_MS);
  assert.equal(kindAt(state, T0 + HOUR_MS), 'DISALLOW_ALL');
});

test('the state says why the last asking brought no rules', () => {
  const down = advanceRobotsState(null, DOWN, T0);
  assert.equal(down.reason, 'NETWORK');
  assert.equal(advanceRobotsState(down, NONE, T0).reason, 'STATUS');
  assert.equal(advanceRobotsState(down, rules(''), T0).reason, null);
});
