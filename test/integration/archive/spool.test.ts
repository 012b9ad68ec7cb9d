import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { formatDigest } from '@decorum/policy/digest/format-digest.ts';
import { createSpool, createSpoolBudget, type SpoolOptions } from '@decorum/server/archive/spool.ts';
import { collect, createArchiveDir } from '../../support/archive/segments.ts';

const BODY = randomBytes(600_000);

function options(dir: string, parts: Partial<SpoolOptions> = {}): SpoolOptions {
  return {
    dir,
    budget: createSpoolBudget({ memoryBytesMax: 1_000_000, fileBytesMax: 10_000_000 }),
    bodyBytesMax: 1_000_000,
    ...parts,
  };
}

test('a body comes back at every read, with its digests, from memory and from a file', async () => {
  await using archive = await createArchiveDir();
  for (const bytes of [0, 1, 262_144, 262_145, 600_000]) {
    const body = BODY.subarray(0, bytes);
    await using spool = createSpool(options(archive.dir));
    for (let start = 0; start < bytes; start += 70_000)
      await spool.write(body.subarray(start, start + 70_000));
    const spooled = spool.finish();
    assert.equal(spooled.byteLength, bytes);
    assert.equal(spooled.inMemory === null, bytes > 262_144);
    assert.equal(spooled.sha1, formatDigest('sha1', createHash('sha1').update(body).digest()));
    assert.equal(spooled.sha256, formatDigest('sha256', createHash('sha256').update(body).digest()));
    const twice = await Promise.all([collect(spooled.read()), collect(spooled.read())]);
    for (const read of twice) assert.ok(read.equals(body));
  }
});

test('a spool file has no name, so that a killed worker leaves nothing', async () => {
  await using archive = await createArchiveDir();
  await using spool = createSpool(options(archive.dir));
  await spool.write(BODY);
  assert.deepEqual(await readdir(archive.dir), []);
});

test('what was written is a copy', async () => {
  await using archive = await createArchiveDir();
  await using spool = createSpool(options(archive.dir));
  const chunk = Buffer.from('received');
  await spool.write(chunk);
  chunk.fill(0);
  assert.equal((await collect(spool.finish().read())).toString(), 'received');
});

test('a body longer than its maximum is refused', async () => {
  await using archive = await createArchiveDir();
  await using spool = createSpool(options(archive.dir, { bodyBytesMax: 10 }));
  await spool.write(Buffer.alloc(10));
  await assert.rejects(spool.write(Buffer.alloc(1)), RangeError);
});

test('a write waits while the worker has no memory or no file space left, and ends with its signal', async () => {
  await using archive = await createArchiveDir();
  const budget = createSpoolBudget({ memoryBytesMax: 300_000, fileBytesMax: 1_000_000 });
  const first = createSpool(options(archive.dir, { budget }));
  await first.write(Buffer.alloc(1));

  await using second = createSpool(options(archive.dir, { budget }));
  let written = false;
  const waiting = second.write(Buffer.alloc(1)).then(() => {
    written = true;
  });
  await new Promise(setImmediate);
  assert.equal(written, false);
  await first.write(BODY);
  await waiting;

  // The first now has all the file space; the second needs some.
  const abort = new AbortController();
  await using third = createSpool(options(archive.dir, { budget, memoryBytesMax: 10, signal: abort.signal }));
  const stuck = third.write(BODY);
  abort.abort(new Error('total time'));
  await assert.rejects(stuck, /total time/);

  await first[Symbol.asyncDispose]();
  await second.write(BODY);
  assert.equal(second.finish().byteLength, BODY.length + 1);
});
