import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, copyFile, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { recoverSegment } from '@decorum/server/archive/recover-segment.ts';
import { scanSegment } from '@decorum/server/archive/scan-segment.ts';
import { appendPage, createArchiveDir, openTestSegment } from '../../support/archive/segments.ts';

/** Where the whole members of a file end; fails when one is not whole. */
async function scanEnds(file: string): Promise<number[]> {
  const ends: number[] = [];
  for await (const member of scanSegment({ file })) {
    assert.ok(member.state === 'whole');
    ends.push(member.offset + member.length);
  }
  return ends;
}

test('a writer killed in the middle of a record loses nothing that it had called durable', async () => {
  await using archive = await createArchiveDir();
  const script = join(import.meta.dirname, 'append-until-killed.ts');
  const child = spawn(process.execPath, [script, archive.dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (lines.length === 4) child.kill('SIGKILL');
  }
  await exited;
  const [file = '', ...durable] = lines;
  const keepThrough = Number(durable.at(-1));

  // The kill may have struck between two records; so that one is cut for certain, begin another.
  await appendFile(file, gzipSync('WARC/1.1').subarray(0, 15));
  const { bytes } = await recoverSegment({ file, keepThrough });
  assert.ok(bytes >= keepThrough);
  assert.equal((await stat(file)).size, bytes);
  const ends = await scanEnds(file);
  for (const end of durable) assert.ok(ends.includes(Number(end)));
});

test('a tail is cut back to the last member that is whole, wherever the cut was', async () => {
  await using archive = await createArchiveDir();
  const { writer, file } = await openTestSegment(archive.dir);
  await appendPage(archive.dir, writer, 'kept');
  const kept = writer.bytes;
  const [request, response] = await appendPage(archive.dir, writer, 'the last one');
  await writer.close();
  assert.ok(request && response);
  const { length, offset } = response;
  for (const [cutAt, expected] of [
    [kept, kept],
    [kept + 1, kept],
    [offset, offset],
    [offset + length - 1, offset],
    [offset + length, offset + length],
    [offset + length + 5, offset + length],
  ] as const) {
    const copy = join(archive.dir, 'cut.warc.gz');
    await copyFile(file, copy);
    await truncate(copy, cutAt);
    assert.deepEqual(await recoverSegment({ file: copy, keepThrough: 0 }), { bytes: expected });
    assert.equal((await scanEnds(copy)).at(-1), expected);
  }
});

test('damage before what rows name cuts nothing off', async () => {
  await using archive = await createArchiveDir();
  const { writer, file } = await openTestSegment(archive.dir);
  await appendPage(archive.dir, writer, 'page');
  await writer.close();
  const bytes = await readFile(file);
  const hurt = join(archive.dir, 'hurt.warc.gz');
  await copyFile(file, hurt);
  await truncate(hurt, 100);
  await truncate(hurt, bytes.length);
  assert.deepEqual(await recoverSegment({ file: hurt, keepThrough: bytes.length }), { bytes: bytes.length });
});

test('a file shorter than what rows name is not taken over', async () => {
  await using archive = await createArchiveDir();
  const { writer, file } = await openTestSegment(archive.dir);
  await appendPage(archive.dir, writer, 'page');
  await writer.close();
  const before = await readFile(file);
  await assert.rejects(recoverSegment({ file, keepThrough: before.length + 1 }), RangeError);
  assert.deepEqual(await readFile(file), before);
  await assert.rejects(recoverSegment({ file: `${file}.none`, keepThrough: 0 }), { code: 'ENOENT' });
});

test('a frozen writer that wakes up writes into a file without a name', async () => {
  await using archive = await createArchiveDir();
  const { writer, file } = await openTestSegment(archive.dir);
  await appendPage(archive.dir, writer, 'before');
  await writer.sync();
  const keepThrough = writer.bytes;
  await writeFile(`${file}.takeover`, Buffer.alloc(keepThrough + 100_000, 'left by a takeover that crashed'));
  await recoverSegment({ file, keepThrough });
  const taken = await readFile(file);
  await appendPage(archive.dir, writer, 'too late');
  await writer.close();
  assert.deepEqual(await readFile(file), taken);
  assert.equal(taken.length, keepThrough);
  assert.deepEqual(await readdir(dirname(file)), [`${writer.segmentId}.warc.gz`]);
});
