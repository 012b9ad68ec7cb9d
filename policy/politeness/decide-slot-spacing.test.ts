import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { BACKOFF_MS_MAX } from './decide-site-pace.ts';
import { decideSlotSpacing, type SlotSpacing } from './decide-slot-spacing.ts';

const START: SlotSpacing = { spacingMs: 1000, changedAtMs: 0 };
const MINUTE_MS = 60_000;

function spacing(sitesFetched: number, sitesSignalled: number): number {
  return decideSlotSpacing(START, { atMs: 5000, sitesFetched, sitesSignalled }).spacingMs;
}

test('an address slows down when three of its sites signal, or half of fewer', () => {
  assert.deepEqual([spacing(9, 2), spacing(9, 3), spacing(3, 2), spacing(3, 3)], [1000, 2000, 1000, 2000]);
  assert.deepEqual([spacing(2, 1), spacing(1, 1), spacing(2, 0), spacing(0, 0)], [2000, 2000, 1000, 1000]);
});

test('the spacing doubles at most to an hour', () => {
  let state = START;
  for (let step = 1; step <= 30; step += 1) {
    state = decideSlotSpacing(state, { atMs: step * 1000, sitesFetched: 5, sitesSignalled: 5 });
  }
  assert.deepEqual(state, { spacingMs: BACKOFF_MS_MAX, changedAtMs: 30_000 });
});

test('a change is dated, so that the same signals do not count again', () => {
  assert.equal(
    decideSlotSpacing(START, { atMs: 5000, sitesFetched: 5, sitesSignalled: 3 }).changedAtMs,
    5000,
  );
  assert.equal(decideSlotSpacing(START, { atMs: 5000, sitesFetched: 5, sitesSignalled: 1 }).changedAtMs, 0);
});

test('thirty minutes without a change halve the spacing, down to the default', () => {
  const slow: SlotSpacing = { spacingMs: 8000, changedAtMs: 0 };
  const calm = (minutes: number): number =>
    decideSlotSpacing(slow, { atMs: minutes * MINUTE_MS, sitesFetched: 4, sitesSignalled: 0 }).spacingMs;
  assert.deepEqual([29, 30, 60, 90, 600].map(calm), [8000, 4000, 2000, 1000, 1000]);
});

test('the spacing stays between its minimum and an hour', () => {
  const step = fc.record({
    waitMs: fc.nat(100 * MINUTE_MS),
    sitesFetched: fc.nat(9),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 10_000 }), fc.array(step), (minSpacingMs, steps) => {
      let state: SlotSpacing = { spacingMs: minSpacingMs, changedAtMs: 0 };
      let atMs = 0;
      for (const { waitMs, sitesFetched, share } of steps) {
        atMs += waitMs;
        const sitesSignalled = Math.round(share * sitesFetched);
        state = decideSlotSpacing(state, { atMs, sitesFetched, sitesSignalled }, minSpacingMs);
        assert.ok(state.spacingMs >= minSpacingMs && state.spacingMs <= BACKOFF_MS_MAX);
        assert.ok(state.changedAtMs <= atMs);
      }
    }),
  );
});
