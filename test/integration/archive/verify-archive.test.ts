import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { toSegmentPath } from '@decorum/server/archive/segment-path.ts';
import type { MemberLocation } from '@decorum/server/archive/segment-writer.ts';
import { eraseOrphans } from '@decorum/server/archive/upkeep/erase-orphans.ts';
import { verifyArchive, type SegmentReport } from '@decorum/server/archive/upkeep/verify-archive.ts';
import { insertErasures } from '@decorum/server/store/erasures.ts';
import { closeSegment } from '@decorum/server/store/segments.ts';
import { appendPage, createArchiveDir, openTestSegment } from '../../support/archive/segments.ts';
import { createUpkeepRig, insertSegment } from '../../support/archive/upkeep-rig.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const NEVER = new AbortController().signal;

/** A closed segment of three captures, all named, and searched for orphans. */
async function createSettled() {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const { dir } = stack.use(await createArchiveDir());
  const { deps } = createUpkeepRig(database, dir);
  const { writer, file } = await openTestSegment(dir);
  const { segmentId } = writer;
  await insertSegment(database, segmentId, 60_000);
  const captures: MemberLocation[][] = [];
  for (const page of ['first', 'second'.repeat(1_000), 'third']) {
    captures.push(await appendPage(dir, writer, page));
  }
  for (const members of captures) await nameMembers(database, segmentId, members);
  await writer.close();
  await closeSegment(database.control, 'w', segmentId, BigInt(writer.bytes));
  assert.equal(await eraseOrphans(deps), 1);
  const held = stack.move();
  return {
    ...{ database, dir, deps, segmentId, file, captures, bytes: writer.bytes },
    verify: () => verifyAll(deps),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

async function nameMembers(
  database: TestDatabase,
  segmentId: string,
  members: readonly MemberLocation[],
): Promise<void> {
  const captureId = members.find(({ recordType }) => recordType === 'response')?.recordId ?? '';
  for (const { recordType, offset, length } of members) {
    await database.admin`
      insert into capture_record (segment_id, record_offset, record_length, record_type, capture_id)
      values (${segmentId}, ${offset}, ${length}, ${recordType}, ${captureId})
    `;
  }
}

async function verifyAll(deps: Parameters<typeof verifyArchive>[0]): Promise<SegmentReport[]> {
  const reports: SegmentReport[] = [];
  for await (const report of verifyArchive(deps, NEVER)) reports.push(report);
  return reports;
}

function kinds(reports: readonly SegmentReport[]): string[] {
  return reports.flatMap(({ findings }) => findings.map(({ kind }) => kind));
}

test('a sound archive has no findings', async () => {
  await using it = await createSettled();
  const { segmentId, bytes: fileBytes } = it;
  assert.deepEqual(await it.verify(), [
    { segmentId, members: 10, fileBytes, tombstones: 0, pending: 0, findings: [] },
  ]);
});

test('a row that was removed is found by its member', async () => {
  await using it = await createSettled();
  const removed = it.captures[1]?.[1];
  assert.ok(removed);
  await it.database.admin`delete from capture_record where record_offset = ${removed.offset}`;
  const { offset, length, recordId } = removed;
  const finding = { kind: 'member_without_row', offset, length, recordId, recordType: 'response' };
  assert.deepEqual((await it.verify())[0]?.findings, [finding]);
});

test('members that were removed are found by their rows', async () => {
  await using it = await createSettled();
  const bytes = await readFile(it.file);
  const [second, third] = [it.captures[1]?.[0]?.offset, it.captures[2]?.[0]?.offset];
  await writeFile(it.file, Buffer.concat([bytes.subarray(0, second), bytes.subarray(third)]));
  const found = kinds(await it.verify());
  assert.equal(found.filter((kind) => kind === 'row_without_member').length >= 3, true);
  assert.ok(found.includes('file_short'));
});

test('a flipped byte is found, wherever it is, and named with its row', async () => {
  await using it = await createSettled();
  const before = await readFile(it.file);
  for (const { offset, length } of it.captures.flat()) {
    const position = offset + Math.floor(length / 2);
    await using handle = await open(it.file, 'r+');
    await handle.write(Buffer.of((before[position] ?? 0) ^ 0x10), 0, 1, position);
    const [report] = await it.verify();
    const damage = report?.findings.find((finding) => finding.kind === 'damage');
    assert.equal(damage?.row?.offset, offset);
    await handle.write(before, position, 1, position);
  }
  assert.deepEqual(kinds(await it.verify()), []);
});

test('a missing file, and one that belongs to no segment, are found', async () => {
  await using it = await createSettled();
  const stranger = join(it.dir, toSegmentPath(randomUUID()));
  await mkdir(dirname(stranger), { recursive: true });
  await writeFile(stranger, 'WARC');
  await rm(it.file);
  assert.deepEqual(kinds(await it.verify()), ['file_missing', 'file_without_segment']);
});

test('tombstones are sound, and one that is ordered and not written yet is pending', async () => {
  await using it = await createSettled();
  const [request] = it.captures[2] ?? [];
  assert.ok(request);
  const { segmentId } = it;
  await it.database.admin`delete from capture_record where record_offset = ${request.offset}`;
  await insertErasures(it.database.general, segmentId, 'orphan', [request]);
  const [pending] = await it.verify();
  assert.deepEqual([pending?.findings, pending?.pending, pending?.tombstones], [[], 1, 0]);
  await it.database.admin`update segment set orphans_checked_at = null`;
  assert.equal(await eraseOrphans(it.deps), 1);
  const [done] = await it.verify();
  assert.deepEqual([done?.findings, done?.pending, done?.tombstones], [[], 0, 1]);
  await it.database.admin`update erasure set record_id = gen_random_uuid()`;
  assert.deepEqual(kinds(await it.verify()), ['wrong_member']);
});

test('what an open segment holds beyond its rows is pending, an append under way included', async () => {
  await using database = await createTestDatabase();
  await using place = await createArchiveDir();
  const { deps } = createUpkeepRig(database, place.dir);
  await insertSegment(database, randomUUID());
  const { writer, file } = await openTestSegment(place.dir);
  await insertSegment(database, writer.segmentId);
  await nameMembers(database, writer.segmentId, await appendPage(place.dir, writer, 'named'));
  await appendPage(place.dir, writer, 'reported later');
  await writer.close();
  await appendFile(file, (await readFile(file)).subarray(0, 50));
  const reports = await verifyAll(deps);
  assert.deepEqual(kinds(reports), []);
  assert.equal(reports.find(({ segmentId }) => segmentId === writer.segmentId)?.pending, 4);
});
