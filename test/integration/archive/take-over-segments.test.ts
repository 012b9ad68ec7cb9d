import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { scanSegment } from '@decorum/server/archive/scan-segment.ts';
import { takeOverSegments } from '@decorum/server/archive/upkeep/take-over-segments.ts';
import { UPKEEP_RETRY_MS } from '@decorum/server/store/abandoned-segments.ts';
import { closeSegment } from '@decorum/server/store/segments.ts';
import { appendPage, createArchiveDir, openTestSegment } from '../../support/archive/segments.ts';
import { createUpkeepRig, insertSegment, loadSegment } from '../../support/archive/upkeep-rig.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const LEASE_MS = 60_000;
const LOCK_DELAY_MS = 60_000;

let database: TestDatabase;
before(async () => (database = await createTestDatabase()));
after(() => database[Symbol.asyncDispose]());

async function nameMember(segmentId: string, offset: number, length: number): Promise<void> {
  await database.admin`
    insert into capture_record (segment_id, record_offset, record_length, record_type, capture_id)
    values (${segmentId}, ${offset}, ${length}, 'response', ${randomUUID()})
  `;
}

test('the segment of a writer killed in the middle of an append is closed, with all that it had called durable', async () => {
  await using place = await createArchiveDir();
  const { deps, counters } = createUpkeepRig(database, place.dir);
  const script = join(import.meta.dirname, 'append-until-killed.ts');
  const child = spawn(process.execPath, [script, place.dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (lines.length === 3) child.kill('SIGKILL');
  }
  await exited;
  const [file = '', ...durable] = lines;
  const segmentId = basename(file, '.warc.gz');
  // The kill may have struck between two records; so that one is cut for certain, begin another.
  await appendFile(file, gzipSync('WARC/1.1').subarray(0, 15));
  await insertSegment(database, segmentId, LEASE_MS);

  await database.advanceClock(LEASE_MS + LOCK_DELAY_MS - 10_000);
  assert.equal(await takeOverSegments(deps, LOCK_DELAY_MS), 0);
  await database.advanceClock(20_000);
  const two = [takeOverSegments(deps, LOCK_DELAY_MS), takeOverSegments(deps, LOCK_DELAY_MS)];
  assert.deepEqual((await Promise.all(two)).sort(), [0, 1]);
  assert.equal(counters.takeovers.total(), 1);

  const { size } = await stat(file);
  assert.deepEqual(await loadSegment(database, segmentId), {
    ...{ state: 'closed', bytes: BigInt(size), isChecked: false, hasFailed: false },
  });
  const ends: number[] = [];
  for await (const member of scanSegment({ file })) {
    assert.ok(member.state === 'whole');
    ends.push(member.offset + member.length);
  }
  for (const end of durable) assert.ok(ends.includes(Number(end)));
  assert.equal(await takeOverSegments(deps, LOCK_DELAY_MS), 0);
});

test('a segment without file and rows is closed empty, and its writer comes too late', async () => {
  await using place = await createArchiveDir();
  const { deps } = createUpkeepRig(database, place.dir);
  const segmentId = randomUUID();
  await insertSegment(database, segmentId, LEASE_MS);
  await database.advanceClock(LEASE_MS + LOCK_DELAY_MS + 1_000);
  assert.equal(await takeOverSegments(deps, LOCK_DELAY_MS), 1);
  assert.equal((await loadSegment(database, segmentId))?.bytes, 0n);
  const late = { segmentId, createdAt: new Date(), warcinfo: [] };
  await assert.rejects(deps.archive.openSegment(late), { code: 'EEXIST' });
  assert.equal(await closeSegment(database.control, 'w', segmentId, 700n), false);
  assert.equal((await loadSegment(database, segmentId))?.bytes, 0n);
});

test('a file that is missing, or shorter than its rows say, is left to a person and tried again later', async () => {
  await using place = await createArchiveDir();
  const { deps, counters, lines } = createUpkeepRig(database, place.dir);
  const missing = randomUUID();
  const short = await openTestSegment(place.dir);
  const [, response] = await appendPage(place.dir, short.writer, 'page');
  await short.writer.close();
  assert.ok(response);
  for (const segmentId of [missing, short.writer.segmentId]) {
    await insertSegment(database, segmentId, LEASE_MS);
    await nameMember(segmentId, short.writer.bytes, 500);
  }
  await database.advanceClock(LEASE_MS + LOCK_DELAY_MS + 1_000);
  assert.equal(await takeOverSegments(deps, LOCK_DELAY_MS), 0);
  assert.equal(counters.failures.total(), 2);
  assert.equal(lines.filter(({ level }) => level === 'error').length, 2);
  const left = { state: 'open', bytes: null, isChecked: false, hasFailed: true };
  for (const segmentId of [missing, short.writer.segmentId]) {
    assert.deepEqual(await loadSegment(database, segmentId), left);
  }
  assert.equal((await stat(short.file)).size, short.writer.bytes);

  assert.equal(await takeOverSegments(deps, LOCK_DELAY_MS), 0);
  assert.equal(counters.failures.total(), 2);
  await database.admin`delete from capture_record`;
  await rm(short.file);
  await database.advanceClock(UPKEEP_RETRY_MS);
  assert.equal(await takeOverSegments(deps, LOCK_DELAY_MS), 2);
});
