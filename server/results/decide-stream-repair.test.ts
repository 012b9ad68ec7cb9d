import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideStreamRepair, type StreamComparison } from './decide-stream-repair.ts';

const AGREED: StreamComparison = {
  lastNumber: 70n,
  publishedThrough: 70n,
  numberedThrough: 100n,
  oldestNumber: 1n,
  acknowledgedThrough: 40n,
};

const decide = (change: Partial<StreamComparison>) => decideStreamRepair({ ...AGREED, ...change });

test('a stream that holds what is recorded needs nothing', () => {
  assert.deepEqual(decide({}), { kind: 'none' });
  assert.deepEqual(decide({ lastNumber: 0n, publishedThrough: 0n }), { kind: 'none' });
});

test('a lost acknowledgement is made up for, a lost tail filled again', () => {
  assert.deepEqual(decide({ lastNumber: 75n }), { kind: 'resume', publishedThrough: 75n });
  assert.deepEqual(decide({ lastNumber: 65n }), { kind: 'resume', publishedThrough: 65n });
});

test('a stream that never was begins with the first result', () => {
  const fresh = { lastNumber: undefined, publishedThrough: 0n, acknowledgedThrough: undefined };
  assert.deepEqual(decide({ ...fresh, numberedThrough: 3n }), { kind: 'make', firstNumber: 1n });
  assert.deepEqual(decide({ ...fresh, numberedThrough: 0n, oldestNumber: undefined }), {
    kind: 'make',
    firstNumber: 1n,
  });
});

test('a lost stream is filled with what some group has not acknowledged and is kept', () => {
  const lost = { lastNumber: undefined };
  assert.deepEqual(decide(lost), { kind: 'make', firstNumber: 41n });
  assert.deepEqual(decide({ ...lost, acknowledgedThrough: undefined }), { kind: 'make', firstNumber: 1n });
  assert.deepEqual(decide({ ...lost, oldestNumber: 50n }), { kind: 'make', firstNumber: 50n });
  assert.deepEqual(decide({ ...lost, acknowledgedThrough: 70n }), { kind: 'make', firstNumber: 71n });
});

test('a lost stream whose results are all gone goes on with the next number', () => {
  const lost = { lastNumber: undefined, publishedThrough: 100n, oldestNumber: undefined };
  assert.deepEqual(decide(lost), { kind: 'make', firstNumber: 101n });
});

test('where the next number is not kept any more, only a new stream can go on', () => {
  assert.deepEqual(decide({ lastNumber: 10n, oldestNumber: 50n }), { kind: 'remake', firstNumber: 50n });
  assert.deepEqual(decide({ oldestNumber: 80n }), { kind: 'remake', firstNumber: 80n });
  assert.deepEqual(decide({ lastNumber: 10n, oldestNumber: undefined }), {
    kind: 'remake',
    firstNumber: 101n,
  });
  assert.deepEqual(decide({ lastNumber: 100n, publishedThrough: 100n, oldestNumber: undefined }), {
    kind: 'none',
  });
});

test('D6: numbers that were never given are another history', () => {
  assert.deepEqual(decide({ lastNumber: 101n }), { kind: 'foreign', lastNumber: 101n });
});
