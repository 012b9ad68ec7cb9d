import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Spool, SpooledBody } from '../archive/spool.ts';
import { createBodySink, SINK_WAITING_BYTES_MAX } from './body-sink.ts';
import type { FetchFailure } from './fetch-failure.ts';

/** A spool whose writes end when the test lets them. */
function createSlowSpool() {
  const written: Uint8Array[] = [];
  const writes: PromiseWithResolvers<undefined>[] = [];
  const spool: Spool = {
    async write(chunk) {
      const write = Promise.withResolvers<undefined>();
      writes.push(write);
      await write.promise;
      written.push(chunk);
    },
    finish: () => ({ byteLength: Buffer.concat(written).length }) as SpooledBody,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return { spool, writes, written };
}

function createSource() {
  const seen: string[] = [];
  const source = {
    pause: () => void seen.push('pause'),
    resume: () => void seen.push('resume'),
    giveUp: (failure: FetchFailure) => void seen.push(failure.kind),
  };
  return { seen, source };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('a connection is slowed down while its body waits, and goes on when half of it is written', async () => {
  const { spool, writes, written } = createSlowSpool();
  const { seen, source } = createSource();
  const sink = createBodySink(spool, 10_000_000, source);
  const chunk = new Uint8Array(SINK_WAITING_BYTES_MAX / 4);
  for (let at = 0; at < 5; at += 1) assert.ok(sink.take(chunk));
  assert.deepEqual(seen, ['pause']);
  for (let at = 0; at < 3; at += 1) {
    assert.deepEqual(seen, ['pause'], `${at} written`);
    writes.shift()?.resolve(undefined);
    await nextTurn();
  }
  assert.deepEqual(seen, ['pause', 'resume']);
  const finished = sink.finish();
  for (; writes.length > 0; await nextTurn()) writes.shift()?.resolve(undefined);
  assert.equal((await finished).byteLength, 5 * chunk.length);
  assert.equal(written.length, 5);
});

test('what is beyond the limit is dropped, and the limit itself fits', async () => {
  const { spool, writes } = createSlowSpool();
  const sink = createBodySink(spool, 10, createSource().source);
  assert.ok(sink.take(new Uint8Array(6)));
  assert.ok(sink.take(new Uint8Array(4)));
  assert.equal(sink.take(new Uint8Array(1)), false);
  const finished = sink.finish();
  for (; writes.length > 0; await nextTurn()) writes.shift()?.resolve(undefined);
  assert.equal((await finished).byteLength, 10);
});

test('a body that cannot be written is given up once, and nothing more is written', async () => {
  const { spool, writes } = createSlowSpool();
  const { seen, source } = createSource();
  const sink = createBodySink(spool, 100, source);
  sink.take(new Uint8Array(5));
  sink.take(new Uint8Array(5));
  writes.shift()?.reject(new Error('no space left'));
  await nextTurn();
  sink.take(new Uint8Array(5));
  assert.deepEqual(seen, ['NOT_STORED']);
  assert.equal(writes.length, 0);
  await assert.rejects(sink.finish(), { name: 'FetchFailure', kind: 'NOT_STORED' });
});
