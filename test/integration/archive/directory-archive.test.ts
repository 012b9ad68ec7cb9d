import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDirectoryArchive } from '@decorum/server/archive/directory-archive.ts';
import { appendPage, CAPTURED_AT, collect, createArchiveDir } from '../../support/archive/segments.ts';

test('what one process wrote under a segment id, another reads, verifies and takes over under it', async () => {
  await using root = await createArchiveDir();
  const dir = join(root.dir, 'archive');
  const segmentId = randomUUID();
  const writer = await createDirectoryArchive(dir).openSegment({
    segmentId,
    createdAt: CAPTURED_AT,
    warcinfo: [['operator', 'crawl@example.test']],
  });
  const locations = await appendPage(root.dir, writer, 'a page');
  await writer.close();

  const archive = createDirectoryArchive(dir);
  const response = locations[1];
  assert.ok(response);
  await using member = await archive.readMember({ segmentId, ...response });
  assert.equal((await collect(member.body)).toString(), 'a page');
  assert.deepEqual((await archive.verifySegment(segmentId, locations)).findings, []);
  assert.deepEqual(await archive.recoverSegment(segmentId, writer.bytes), { bytes: writer.bytes });
  let members = 0;
  for await (const scanned of archive.scanSegment(segmentId)) {
    assert.equal(scanned.state, 'whole');
    members += 1;
  }
  assert.equal(members, 4);
  assert.deepEqual(await readdir(dir), ['segments']);
});
