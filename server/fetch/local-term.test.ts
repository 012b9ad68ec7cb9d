import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readClocks, startLocalTerm } from './local-term.ts';

function createClock() {
  const now = { monotonicMs: 1_000, wallMs: 5_000_000 };
  const clock = {
    monotonicMs: () => now.monotonicMs,
    wallMs: () => now.wallMs,
    sleep: () => Promise.resolve(),
  };
  return { now, clock };
}

test('M4: the time that is left is counted on the clock that went further', () => {
  const { now, clock } = createClock();
  const term = startLocalTerm({ clock, askedAt: readClocks(clock), durationMs: 60_000, marginMs: 500 });
  assert.equal(term.remainingMs(), 59_500);
  now.monotonicMs += 10_000;
  assert.equal(term.remainingMs(), 49_500);
  now.wallMs += 30_000;
  assert.equal(term.remainingMs(), 29_500, 'a suspended machine counts too');
  now.wallMs -= 3_600_000;
  assert.equal(term.remainingMs(), 49_500, 'a wall clock that is set back gives no time');
  now.monotonicMs += 50_000;
  assert.equal(term.remainingMs(), -500);
});

test('the time counts from before the question, and is renewed every third', () => {
  const { now, clock } = createClock();
  const askedAt = readClocks(clock);
  now.monotonicMs += 15_000;
  now.wallMs += 15_000;
  const term = startLocalTerm({ clock, askedAt, durationMs: 60_000, marginMs: 0 });
  assert.equal(term.remainingMs(), 45_000);
  assert.equal(term.renewAtMs(), 21_000);
  term.prolong(readClocks(clock), 60_000);
  assert.equal(term.remainingMs(), 60_000);
  assert.equal(term.renewAtMs(), 36_000);
});

test('an answer to an older question changes nothing', () => {
  const { now, clock } = createClock();
  const old = readClocks(clock);
  now.monotonicMs += 5_000;
  const term = startLocalTerm({ clock, askedAt: readClocks(clock), durationMs: 60_000, marginMs: 0 });
  term.prolong(old, 90_000);
  assert.equal(term.remainingMs(), 60_000);
});
