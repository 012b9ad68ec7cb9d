import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWaker } from './create-waker.ts';

const LONG_MS = 3_600_000;

test('a wait ends when it is woken, and when its signal aborts', async () => {
  const waker = createWaker();
  const stop = new AbortController();
  const woken = waker.wait(LONG_MS, stop.signal);
  waker.wake();
  await woken;
  const aborted = waker.wait(LONG_MS, stop.signal);
  stop.abort();
  await aborted;
  await waker.wait(LONG_MS, stop.signal);
});

test('a wake before the wait is not lost, and counts once', async () => {
  const waker = createWaker();
  const stop = new AbortController();
  waker.wake();
  waker.wake();
  await waker.wait(LONG_MS, stop.signal);
  let isOver = false;
  const second = waker.wait(LONG_MS, stop.signal).then(() => (isOver = true));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isOver, false);
  stop.abort();
  await second;
});
