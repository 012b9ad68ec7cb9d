import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { GzipMember } from '@decorum/server/archive/gzip-member.ts';
import { readMember } from '@decorum/server/archive/read-member.ts';
import { scanSegment } from '@decorum/server/archive/scan-segment.ts';
import { toSegmentPath } from '@decorum/server/archive/segment-path.ts';
import { openSegmentWriter, type SegmentFile } from '@decorum/server/archive/segment-writer.ts';
import {
  appendPage,
  CAPTURED_AT,
  collect,
  createArchiveDir,
  openTestSegment,
} from '../../support/archive/segments.ts';

/** Offsets of the whole members of a file; fails when one is not whole. */
async function scanWhole(file: string): Promise<number[]> {
  const offsets: number[] = [];
  for await (const member of scanSegment({ file })) {
    assert.equal(member.state, 'whole');
    offsets.push(member.offset);
  }
  return offsets;
}

/** Opens a segment some of whose file's calls are replaced. */
async function openFaulty(dir: string, replace: (file: SegmentFile) => Partial<SegmentFile>) {
  const segmentId = randomUUID();
  const writer = await openSegmentWriter(
    { dir, segmentId, createdAt: CAPTURED_AT, warcinfo: [] },
    {
      openFile: async (path) => {
        const handle = await open(path, 'wx');
        const file: SegmentFile = {
          write: handle.write.bind(handle),
          writev: handle.writev.bind(handle),
          truncate: handle.truncate.bind(handle),
          datasync: handle.datasync.bind(handle),
          sync: handle.sync.bind(handle),
          close: handle.close.bind(handle),
        };
        return { ...file, ...replace(file) };
      },
    },
  );
  return { writer, file: join(dir, toSegmentPath(segmentId)) };
}

/** A member whose bytes stop coming after the first 3 MB. */
const BROKEN_MEMBER: GzipMember = {
  recordType: 'response',
  recordId: randomUUID(),
  async *read() {
    for (let count = 0; count < 3; count += 1) yield await Promise.resolve(randomBytes(1_000_000));
    throw new Error('the spool is gone');
  },
};

test('captures appended at the same time lie one behind the other, each in one piece', async () => {
  await using archive = await createArchiveDir();
  const { writer, file } = await openTestSegment(archive.dir);
  const pages = Array.from({ length: 40 }, (_, index) => randomBytes(1 + index * 9_000).toString('hex'));
  const appends = await Promise.all(
    pages.map(async (page) => {
      const locations = await appendPage(archive.dir, writer, page);
      await writer.sync();
      return { page, locations };
    }),
  );
  for (const { page, locations } of appends) {
    assert.equal(locations[1]?.offset, (locations[0]?.offset ?? 0) + (locations[0]?.length ?? 0));
    const response = locations[1];
    assert.ok(response);
    await using member = await readMember({ file, ...response });
    assert.equal((await collect(member.body)).toString(), page);
  }
  await writer.close();
  const offsets = appends.flatMap(({ locations }) => locations.map(({ offset }) => offset));
  assert.deepEqual(
    (await scanWhole(file)).slice(1),
    offsets.toSorted((a, b) => a - b),
  );
});

test('a durable record can be read while the segment is still appended to', async () => {
  await using archive = await createArchiveDir();
  const { writer, file } = await openTestSegment(archive.dir);
  const [, response] = await appendPage(archive.dir, writer, 'readable');
  await writer.sync();
  assert.ok(response);
  await using member = await readMember({ file, ...response });
  assert.equal(member.httpHead?.toString(), 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n');
  assert.equal((await collect(member.body)).toString(), 'readable');
  await writer.close();
});

test('a failed append leaves nothing in the file, and the next one begins where it began', async () => {
  await using archive = await createArchiveDir();
  const { writer, file } = await openTestSegment(archive.dir);
  await appendPage(archive.dir, writer, 'before');
  const end = writer.bytes;
  const [failed, next] = await Promise.allSettled([
    writer.append([BROKEN_MEMBER]),
    appendPage(archive.dir, writer, 'after'),
  ]);
  assert.equal(failed.status, 'rejected');
  assert.ok(next.status === 'fulfilled');
  assert.equal(next.value[0]?.offset, end);
  await writer.close();
  assert.equal((await scanWhole(file)).length, 7);
});

test('a disk that is full in the middle of an append costs that append only', async () => {
  await using archive = await createArchiveDir();
  let full = false;
  const { writer, file } = await openFaulty(archive.dir, ({ write, writev }) => ({
    writev: async (chunks, position) => {
      if (!full) return writev(chunks, position);
      await write(Buffer.alloc(100, 'x'), 0, 100, position);
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    },
  }));
  full = true;
  await assert.rejects(appendPage(archive.dir, writer, 'lost'), { code: 'ENOSPC' });
  full = false;
  await appendPage(archive.dir, writer, 'kept');
  await writer.close();
  assert.equal((await scanWhole(file)).length, 4);
});

test('after a failed fsync nothing is accepted and nothing is called durable', async () => {
  await using archive = await createArchiveDir();
  let syncs = 0;
  const { writer } = await openFaulty(archive.dir, () => ({
    datasync: async () => {
      syncs += 1;
      if (syncs > 1) throw new Error('EIO');
    },
  }));
  await appendPage(archive.dir, writer, 'page');
  await assert.rejects(writer.sync(), /cannot be written any more/);
  await assert.rejects(writer.sync(), /cannot be written any more/);
  await assert.rejects(appendPage(archive.dir, writer, 'page'), /cannot be written any more/);
  await assert.rejects(writer.close(), /cannot be written any more/);
  assert.equal(syncs, 2);
});

test('a file that cannot be cut back takes nothing more', async () => {
  await using archive = await createArchiveDir();
  const { writer } = await openFaulty(archive.dir, () => ({
    truncate: async () => {
      throw new Error('EIO');
    },
  }));
  await assert.rejects(writer.append([BROKEN_MEMBER]), /cannot be written any more/);
  await assert.rejects(writer.sync(), /cannot be written any more/);
  await assert.rejects(appendPage(archive.dir, writer, 'page'), /cannot be written any more/);
  await assert.rejects(writer.close());
});

test('a hundred who wait for their bytes at once share two flushes', async () => {
  await using archive = await createArchiveDir();
  let syncs = 0;
  const { writer } = await openFaulty(archive.dir, ({ datasync }) => ({
    datasync: async () => {
      syncs += 1;
      await datasync();
    },
  }));
  await appendPage(archive.dir, writer, 'page');
  const before = syncs;
  const first = writer.sync();
  await new Promise(setImmediate);
  await Promise.all([first, ...Array.from({ length: 100 }, () => writer.sync())]);
  assert.equal(syncs - before, 2);
  await writer.close();
});

test('a segment is created once, and closed for good', async () => {
  await using archive = await createArchiveDir();
  const { writer } = await openTestSegment(archive.dir);
  const again = { dir: archive.dir, segmentId: writer.segmentId, createdAt: CAPTURED_AT, warcinfo: [] };
  await assert.rejects(openSegmentWriter(again), { code: 'EEXIST' });
  const append = appendPage(archive.dir, writer, 'in time');
  await append;
  await Promise.all([writer.close(), writer.close(), writer.sync()]);
  await writer.close();
  await assert.rejects(appendPage(archive.dir, writer, 'late'), /is closed/);
});
