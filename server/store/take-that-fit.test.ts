import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeThatFit } from './take-that-fit.ts';

const sizes = (...bytes: number[]) => bytes.map((size) => ({ bytes: size }));

test('an answer takes what fits, up to the last byte', () => {
  assert.equal(takeThatFit(sizes(4, 4, 2), 10).length, 3);
  assert.equal(takeThatFit(sizes(4, 4, 3), 10).length, 2);
  assert.equal(takeThatFit([], 10).length, 0);
});

test('one item that does not fit is taken all the same, so that reading comes on', () => {
  assert.equal(takeThatFit(sizes(11, 1), 10).length, 1);
});
