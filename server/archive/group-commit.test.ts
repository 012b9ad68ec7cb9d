import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGroupCommit } from './group-commit.ts';

/** A flush that the test ends by hand. */
function createManualFlush() {
  const running: PromiseWithResolvers<undefined>[] = [];
  return {
    running,
    flush: async () => {
      const flush = Promise.withResolvers<undefined>();
      running.push(flush);
      await flush.promise;
    },
  };
}

const turn = () => new Promise(setImmediate);

test('all who wait while a flush runs share the next one', async () => {
  const { flush, running } = createManualFlush();
  const commit = createGroupCommit(flush);
  const first = commit();
  await turn();
  const waiters = [commit(), commit(), commit()];
  await turn();
  assert.equal(running.length, 1);
  running[0]?.resolve(undefined);
  await first;
  await turn();
  assert.equal(running.length, 2);
  running[1]?.resolve(undefined);
  await Promise.all(waiters);
  await turn();
  assert.equal(running.length, 2);
});

test('a flush that began before the call does not answer it', async () => {
  const { flush, running } = createManualFlush();
  const commit = createGroupCommit(flush);
  const first = commit();
  await turn();
  let answered = false;
  const second = commit().then(() => {
    answered = true;
  });
  running[0]?.resolve(undefined);
  await first;
  await turn();
  assert.equal(answered, false);
  running[1]?.resolve(undefined);
  await second;
});

test('after a failed flush everybody is refused and nothing is flushed again', async () => {
  const { flush, running } = createManualFlush();
  const commit = createGroupCommit(flush);
  const first = commit();
  await turn();
  const second = commit();
  running[0]?.reject(new Error('EIO'));
  await assert.rejects(first, /EIO/);
  await assert.rejects(second, /EIO/);
  await assert.rejects(commit(), /EIO/);
  assert.equal(running.length, 1);
});
