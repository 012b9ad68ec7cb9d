import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createByteBudget } from './byte-budget.ts';

/** Whether the promise is settled once everything that can happen now has happened. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const mark = () => {
    settled = true;
  };
  promise.then(mark, mark);
  await new Promise(setImmediate);
  return settled;
}

test('who finds too little free waits until enough was given back', async () => {
  const budget = createByteBudget(100);
  const releaseFirst = await budget.reserve(60);
  const releaseSecond = await budget.reserve(40);
  const third = budget.reserve(50);
  releaseSecond();
  assert.equal(await isSettled(third), false);
  releaseFirst();
  assert.equal(await isSettled(third), true);
});

test('a small reservation does not pass a large one that waits', async () => {
  const budget = createByteBudget(100);
  const release = await budget.reserve(50);
  const large = budget.reserve(100);
  const small = budget.reserve(1);
  assert.equal(await isSettled(small), false);
  release();
  (await large)();
  assert.equal(await isSettled(small), true);
});

test('giving back twice frees the bytes once', async () => {
  const budget = createByteBudget(100);
  const release = await budget.reserve(100);
  release();
  release();
  await budget.reserve(100);
  assert.equal(await isSettled(budget.reserve(1)), false);
});

test('who gives up waiting no longer holds up the others', async () => {
  const budget = createByteBudget(100);
  await budget.reserve(50);
  const abort = new AbortController();
  const large = budget.reserve(100, abort.signal);
  const small = budget.reserve(10);
  assert.equal(await isSettled(small), false);
  abort.abort(new Error('deadline'));
  await assert.rejects(large, /deadline/);
  assert.equal(await isSettled(small), true);
  await assert.rejects(budget.reserve(1, abort.signal), /deadline/);
});

test('what can never fit is refused at once', async () => {
  await assert.rejects(createByteBudget(100).reserve(101), RangeError);
});
