import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideSegmentClose } from './decide-segment-close.ts';

test('a segment closes at 256 MB or ten minutes, whichever comes first', () => {
  assert.deepEqual(decideSegmentClose({ bytes: 255_999_999, ageMs: 599_999 }), { close: false });
  assert.deepEqual(decideSegmentClose({ bytes: 256_000_000, ageMs: 0 }), { close: true, reason: 'bytes' });
  assert.deepEqual(decideSegmentClose({ bytes: 0, ageMs: 600_000 }), { close: true, reason: 'age' });
});

test('other limits hold where they are given', () => {
  const limits = { bytesMax: 32_000_000, ageMsMax: 5_000 };
  assert.deepEqual(decideSegmentClose({ bytes: 31_999_999, ageMs: 4_999 }, limits), { close: false });
  assert.deepEqual(decideSegmentClose({ bytes: 32_000_000, ageMs: 0 }, limits), {
    close: true,
    reason: 'bytes',
  });
  assert.deepEqual(decideSegmentClose({ bytes: 0, ageMs: 5_000 }, limits), { close: true, reason: 'age' });
});
