import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect } from '@decorum/test/support/sdk/collect.ts';
import { createAsyncQueue } from './async-queue.ts';

test('a reader gets what was pushed before and after it waits, then the end', async () => {
  const queue = createAsyncQueue<number>();
  queue.push(1);
  const reading = collect(queue);
  await Promise.resolve();
  queue.push(2);
  queue.end();
  queue.push(3);
  assert.deepEqual(await reading, [1, 2]);
});

test('the first end counts, and its error comes after what was pushed', async () => {
  const queue = createAsyncQueue<number>();
  queue.push(1);
  queue.end(new Error('first'));
  queue.end(new Error('second'));
  const items = queue[Symbol.asyncIterator]();
  assert.equal((await items.next()).value, 1);
  await assert.rejects(items.next(), /first/);
});

test('a producer waits for room, and is let go at the end', async () => {
  const queue = createAsyncQueue<number>();
  queue.push(1);
  queue.push(2);
  let passed = 0;
  const waiting = queue.roomBelow(2).then(() => (passed += 1));
  await Promise.resolve();
  assert.equal(passed, 0);
  const items = queue[Symbol.asyncIterator]();
  await items.next();
  await waiting;
  queue.push(3);
  const again = queue.roomBelow(2);
  queue.end();
  await again;
  assert.equal(queue.size, 2);
});
