import assert from 'node:assert/strict';
import { open, readFile, truncate } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { MemberLocation } from '@decorum/server/archive/segment-writer.ts';
import { eraseOrphans } from '@decorum/server/archive/upkeep/erase-orphans.ts';
import type { CaptureReport } from '@decorum/server/frontier/attempt-report.ts';
import { sweepExpiredLeases } from '@decorum/server/frontier/sweep.ts';
import { DomainError } from '@decorum/server/runtime/domain-error.ts';
import { insertErasures, loadErasures } from '@decorum/server/store/erasures.ts';
import { closeSegment } from '@decorum/server/store/segments.ts';
import { readForeign } from '../../support/archive/read-foreign.ts';
import { appendPage, createArchiveDir, openTestSegment } from '../../support/archive/segments.ts';
import { createUpkeepRig, insertSegment, loadSegment } from '../../support/archive/upkeep-rig.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { attempt, createTestFrontier, LEASE_MS, report } from '../../support/frontier.ts';

let database: TestDatabase;
before(async () => (database = await createTestDatabase()));
after(() => database[Symbol.asyncDispose]());

/** A capture as its worker reports it. */
function toReport(segmentId: string, members: readonly MemberLocation[]): Partial<CaptureReport> {
  return {
    segmentId,
    captureId: members.find(({ recordType }) => recordType === 'response')?.recordId ?? '',
    records: members.map(({ recordType, offset, length }) => ({
      type: recordType as CaptureReport['records'][number]['type'],
      offset: BigInt(offset),
      length: BigInt(length),
    })),
  };
}

/** A closed segment of two captures that no row names. */
async function closedSegment(dir: string) {
  const { writer, file } = await openTestSegment(dir);
  const { segmentId } = writer;
  await insertSegment(database, segmentId, LEASE_MS);
  const first = await appendPage(dir, writer, 'first');
  const second = await appendPage(dir, writer, 'second'.repeat(40_000));
  await writer.close();
  assert.equal(await closeSegment(database.control, 'w', segmentId, BigInt(writer.bytes)), true);
  return { segmentId, file, first, second, bytes: writer.bytes };
}

test('D3: what a fenced Complete had appended becomes tombstones, once no lease can name it any more', async () => {
  await using place = await createArchiveDir();
  const { deps, counters } = createUpkeepRig(database, place.dir);
  const f = await createTestFrontier(
    database,
    { search: 'SEARCH' },
    { 'a.test': '127.64.0.1', 'b.test': '127.64.0.2' },
  );
  await f.submit('search', ['http://a.test/', 'http://b.test/']);
  await f.resolve();
  const leases = await f.lease();
  const [kept, fenced] = leases;
  assert.ok(kept && fenced);
  const complete = (lease: typeof kept, members: readonly MemberLocation[]) => {
    const capture = f.capture(toReport(segment.segmentId, members));
    const requestId = lease.items[0]?.requestId ?? '';
    return f.complete(report(lease, { attempts: [attempt({ requestId, capture })] }));
  };
  const segment = await closedSegment(place.dir);
  assert.equal((await complete(kept, segment.first))[0]?.status, 'HELD');
  assert.equal(await eraseOrphans(deps), 0, 'a lease is running that could name the rest');

  await database.advanceClock(LEASE_MS + 1);
  assert.equal(await eraseOrphans(deps), 0, 'the sweep has not seen that it ended');
  assert.equal(await sweepExpiredLeases(database.general, 0), 1);
  assert.equal((await complete(fenced, segment.second))[0]?.status, 'STALE');
  const before = await readFile(segment.file);
  const runs = await Promise.all([eraseOrphans(deps), eraseOrphans(deps)]);
  assert.deepEqual(runs.sort(), [0, 1]);
  assert.equal(counters.orphans.total(), 3);
  assert.equal((await loadSegment(database, segment.segmentId))?.isChecked, true);

  const records = await readForeign(segment.file);
  const members = [...segment.first, ...segment.second];
  assert.deepEqual(
    records.slice(1).map(({ offset, length }) => ({ offset, length })),
    members.map(({ offset, length }) => ({ offset, length })),
  );
  for (const record of records.slice(4)) {
    assert.equal(record.type, 'metadata');
    assert.match(record.content.toString(), /^erased *$/);
  }
  const named = segment.second[0]?.offset;
  assert.deepEqual((await readFile(segment.file)).subarray(0, named), before.subarray(0, named));
  assert.equal(await eraseOrphans(deps), 0);
});

test('an erasure that was cut off in the middle is done again, and counted once', async () => {
  await using place = await createArchiveDir();
  const { deps, counters } = createUpkeepRig(database, place.dir);
  const { segmentId, file, bytes } = await closedSegment(place.dir);
  const eraseHalf = async (_: string, members: readonly { offset: number }[]): Promise<never> => {
    await using handle = await open(file, 'r+');
    const torn = Buffer.alloc(150, 'torn');
    for (const { offset } of members) await handle.write(torn, 0, torn.length, offset + 10);
    throw new DomainError({ kind: 'unavailable', reason: 'STORE_UNAVAILABLE', message: 'cut off' });
  };
  const archive = { ...deps.archive, eraseMembers: eraseHalf };
  await assert.rejects(eraseOrphans({ ...deps, archive }), DomainError);
  assert.ok((await loadErasures(database.general, segmentId)).every(({ isDone }) => !isDone));

  assert.equal(await eraseOrphans(deps), 1);
  assert.equal(counters.orphans.total(), 6);
  const erasures = await loadErasures(database.general, segmentId);
  assert.ok(erasures.every(({ isDone }) => isDone));
  const records = await readForeign(file);
  assert.deepEqual(
    records.slice(1).map(({ offset, recordId }) => ({ offset, recordId })),
    erasures.map(({ offset, recordId }) => ({ offset, recordId: `<urn:uuid:${recordId}>` })),
  );
  assert.equal((await readFile(file)).length, bytes);
});

test('an order to erase is the same order when it is given again', async () => {
  const members = [{ offset: 900, length: 300 }];
  const segmentId = '00000000-0000-4000-8000-000000000001';
  assert.equal(await insertErasures(database.general, segmentId, 'orphan', members), 1);
  const [first] = await loadErasures(database.general, segmentId);
  assert.equal(await insertErasures(database.general, segmentId, 'orphan', members), 0);
  assert.deepEqual(await loadErasures(database.general, segmentId), [first]);
});

test('a file shorter than it was closed with is left to a person, untouched', async () => {
  await using place = await createArchiveDir();
  const { deps, counters } = createUpkeepRig(database, place.dir);
  const { segmentId, file, bytes } = await closedSegment(place.dir);
  await truncate(file, bytes - 1);
  const before = await readFile(file);
  assert.equal(await eraseOrphans(deps), 0);
  assert.equal(counters.failures.total(), 1);
  assert.deepEqual(await readFile(file), before);
  assert.deepEqual(await loadErasures(database.general, segmentId), []);
  assert.equal((await loadSegment(database, segmentId))?.hasFailed, true);
});
