import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGapTracker, GAP_MAX } from './gap-tracker.ts';

test('skipped numbers are overdue after the grace, once; those that came late are not', () => {
  const gaps = createGapTracker(10);
  gaps.observe(11, 0);
  gaps.observe(15, 100);
  gaps.observe(13, 150);
  assert.deepEqual(gaps.takeOverdue(1_100, 1_000), []);
  assert.deepEqual(gaps.takeOverdue(1_101, 1_000), [12, 14]);
  assert.deepEqual(gaps.takeOverdue(9_999, 1_000), []);
  gaps.observe(12, 1_200);
  assert.deepEqual(gaps.takeOverdue(9_999, 1_000), []);
});

test('numbers from before the reader opened are nothing to watch', () => {
  const gaps = createGapTracker(10);
  gaps.observe(4, 0);
  gaps.observe(9, 0);
  gaps.observe(11, 0);
  assert.deepEqual(gaps.takeOverdue(9_999, 0), []);
});

test('a jump over the limit is a gap at once', () => {
  const gaps = createGapTracker(0);
  gaps.observe(GAP_MAX, 0);
  assert.throws(() => gaps.observe(2 * GAP_MAX + 1, 0), {
    reason: 'RESULT_GAP',
    metadata: { numbers: '100001 to 200000' },
  });
});
