import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect } from '@decorum/test/support/sdk/collect.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { batchUp } from './batch-up.ts';

const limits = { countMax: 3, bytesMax: 10, sizeOf: (text: string) => text.length, lingerMs: 5 };

test('a list is cut at the count and at the size; a large item goes alone', async () => {
  assert.deepEqual(await collect(batchUp(['a', 'b', 'c', 'd'], limits)), [['a', 'b', 'c'], ['d']]);
  const long = 'x'.repeat(30);
  assert.deepEqual(await collect(batchUp(['aaaaaa', 'bbbbbb', long, 'c', 'd'], limits)), [
    ['aaaaaa'],
    ['bbbbbb'],
    [long],
    ['c', 'd'],
  ]);
  assert.deepEqual(await collect(batchUp([], limits)), []);
});

test('what a slow source gave is not held back', async () => {
  const gate = Promise.withResolvers<undefined>();
  async function* source() {
    yield 'a';
    yield 'b';
    await gate.promise;
    yield 'c';
  }
  const batches = batchUp(source(), limits);
  // A source that waits for the outcome of its first items would wait for ever otherwise.
  assert.deepEqual((await batches.next()).value, ['a', 'b']);
  gate.resolve(undefined);
  assert.deepEqual((await batches.next()).value, ['c']);
  assert.equal((await batches.next()).done, true);
});

test('a source is read no further than batches are taken, and is ended when the loop is left', async () => {
  let read = 0;
  let ended = false;
  function* source() {
    try {
      for (;;) {
        read += 1;
        yield 'a';
      }
    } finally {
      ended = true;
    }
  }
  for await (const batch of batchUp(source(), limits)) {
    assert.equal(batch.length, 3);
    assert.equal(read, 3);
    break;
  }
  assert.ok(ended);
});

test('leaving while the source waits does not wait for it, nor trip over its later error', async () => {
  const gate = Promise.withResolvers<undefined>();
  async function* source() {
    yield 'a';
    await gate.promise;
    throw new Error('nobody asked');
  }
  for await (const batch of batchUp(source(), limits)) {
    assert.deepEqual(batch, ['a']);
    break;
  }
  gate.resolve(undefined);
  await sleep(1);
});

test('an error of the source comes after what it gave', async () => {
  async function* source() {
    yield 'a';
    await sleep(20);
    throw new Error('broken');
  }
  const batches = batchUp(source(), limits);
  assert.deepEqual((await batches.next()).value, ['a']);
  await assert.rejects(batches.next(), /broken/);
});
