/** What reading, scanning and verifying say of segments that were cut, flipped or forged. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { appendFile, open, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ArchiveDamageError, type DamageKind } from '@decorum/server/archive/archive-damage.ts';
import { readMember } from '@decorum/server/archive/read-member.ts';
import { scanSegment, type ScannedMember } from '@decorum/server/archive/scan-segment.ts';
import type { MemberLocation } from '@decorum/server/archive/segment-writer.ts';
import { verifySegment } from '@decorum/server/archive/verify-segment.ts';
import { appendPage, collect, createArchiveDir, openTestSegment } from '../../support/archive/segments.ts';

/** A closed segment of three captures. */
async function createSegment(dir: string): Promise<{ file: string; locations: MemberLocation[] }> {
  const { writer, file } = await openTestSegment(dir);
  const locations: MemberLocation[] = [];
  for (const page of ['first', randomBytes(60_000), 'third']) {
    locations.push(...(await appendPage(dir, writer, page)));
  }
  await writer.close();
  return { file, locations };
}

async function scan(file: string): Promise<ScannedMember[]> {
  return collectArray(scanSegment({ file }));
}

async function collectArray<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

async function flipByte(file: string, position: number): Promise<void> {
  const bytes = await readFile(file);
  bytes.writeUInt8(bytes.readUInt8(position) ^ 0x40, position);
  await writeFile(file, bytes);
}

function at(locations: readonly MemberLocation[], index: number): MemberLocation {
  const location = locations[index];
  assert.ok(location);
  return location;
}

const isDamage = (kind: DamageKind, offset: number) => (error: unknown) =>
  error instanceof ArchiveDamageError && error.kind === kind && error.offset === offset;

test('a segment cut anywhere in its last member is whole before it, and the cut is seen', async () => {
  await using archive = await createArchiveDir();
  const { file, locations } = await createSegment(archive.dir);
  const { offset, length } = at(locations, 8);
  const whole = await readFile(file);
  // Every byte of gzip header and trailer, and a sample of what lies between.
  for (let kept = 1; kept < length; kept += kept < 12 || kept > length - 10 ? 1 : 17) {
    await truncate(file, offset + kept);
    const members = await scan(file);
    const last = members.pop();
    assert.ok(
      members.length === 9 && members.every((member) => member.state === 'whole'),
      `${kept} bytes kept`,
    );
    assert.ok(last?.state === 'unreadable' && last.damage === 'truncated', `${kept} bytes kept`);
    assert.equal(last.offset, offset);
    await assert.rejects(readWhole(file, at(locations, 8)), isDamage('truncated', offset));
    await writeFile(file, whole);
  }
  await truncate(file, offset);
  assert.ok((await scan(file)).every((member) => member.state === 'whole'));
});

async function readWhole(file: string, location: { offset: number; length: number }): Promise<Buffer> {
  await using member = await readMember({ file, ...location });
  return await collect(member.body);
}

test('a flipped bit in a member is seen by scan and by read', async () => {
  await using archive = await createArchiveDir();
  const { file, locations } = await createSegment(archive.dir);
  const { offset, length } = at(locations, 1);
  for (let position = 0; position < length; position += position < 30 || position > length - 12 ? 1 : 7) {
    // The header's time, speed and system say nothing that is read; the last deflate byte may end in padding.
    if ((position >= 4 && position < 10) || position === length - 9) continue;
    await flipByte(file, offset + position);
    const members = await scan(file);
    const damaged = members.filter((member) => member.state !== 'whole');
    assert.ok(damaged.length > 0 && damaged[0]?.offset === offset, `byte ${position}`);
    await assert.rejects(readWhole(file, at(locations, 1)), ArchiveDamageError, `byte ${position}`);
    await flipByte(file, offset + position);
  }
  assert.ok((await scan(file)).every((member) => member.state === 'whole'));
});

test('a location that names no member, or another length, gives an error and no bytes that pass for whole', async () => {
  await using archive = await createArchiveDir();
  const { file, locations } = await createSegment(archive.dir);
  const { offset, length } = at(locations, 4);
  await assert.rejects(readWhole(file, { offset: offset + 1, length }), isDamage('bad_gzip', offset + 1));
  await assert.rejects(readWhole(file, { offset, length: length - 1 }), isDamage('truncated', offset));
  await assert.rejects(readWhole(file, { offset, length: length + 1 }), isDamage('bad_record', offset));
  const beyond = 10_000_000;
  await assert.rejects(readWhole(file, { offset: beyond, length }), isDamage('truncated', beyond));
  await assert.rejects(readWhole(join(archive.dir, 'none'), { offset, length }), { code: 'ENOENT' });
});

test('who stops reading early has the file closed', async () => {
  await using archive = await createArchiveDir();
  const { file, locations } = await createSegment(archive.dir);
  const member = await readMember({ file, ...at(locations, 4) });
  for await (const chunk of member.body) {
    assert.ok(chunk.length > 0);
    break;
  }
  await member[Symbol.asyncDispose]();
  await using unread = await readMember({ file, ...at(locations, 1) });
  assert.ok(unread.httpHead);
});

test('a record that is not what it says is named, and the scan goes on behind it', async () => {
  await using archive = await createArchiveDir();
  const { file } = await createSegment(archive.dir);
  const id = `WARC-Record-ID: <urn:uuid:${randomUUID()}>\r\n`;
  const ofSha1 = 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ';
  const cases: [DamageKind | null, string][] = [
    ['bad_record', `WARC/1.1\r\n${id}Content-Length: 4\r\n\r\nbody!\r\n\r\n`],
    ['bad_record', `WARC/1.1\r\n${id}Content-Length: 6\r\n\r\nbody!\r\n\r\n`],
    ['bad_record', `WARC/1.1\r\n${id}Content-Length: 500\r\n\r\nbody!\r\n\r\n`],
    ['bad_record', `WARC/1.1\r\n${id}Content-Length: 5\r\n\r\nbody!`],
    ['bad_record', `WARC/1.1\r\n${id}Content-Length: -5\r\n\r\nbody!\r\n\r\n`],
    ['bad_record', `WARC/1.1\r\n${id}\r\nbody!\r\n\r\n`],
    ['bad_record', 'no record at all'],
    ['bad_record', `WARC/1.1\r\nX: ${'x'.repeat(70_000)}\r\nContent-Length: 5\r\n\r\nbody!\r\n\r\n`],
    ['bad_record', `WARC/1.1\r\nContent-Type: application/http\r\nContent-Length: 5\r\n\r\nbody!\r\n\r\n`],
    [
      'digest_mismatch',
      `WARC/1.1\r\n${id}WARC-Block-Digest: ${ofSha1}\r\nContent-Length: 5\r\n\r\nbody!\r\n\r\n`,
    ],
    [
      'digest_mismatch',
      `WARC/1.1\r\n${id}WARC-Payload-Digest: ${ofSha1}\r\nContent-Length: 5\r\n\r\nbody!\r\n\r\n`,
    ],
    [null, `WARC/1.1\r\n${id}WARC-Payload-Digest: ${ofSha1}\r\nContent-Length: 0\r\n\r\n\r\n\r\n`],
    [null, `WARC/1.1\r\n${id}WARC-Block-Digest: md5:xyz\r\nContent-Length: 5\r\n\r\nbody!\r\n\r\n`],
    [null, `WARC/1.1\r\n${id}Content-Length: 5\r\n\r\nbody!\r\n\r\n`],
  ];
  for (const [, record] of cases) await appendFile(file, gzipSync(record));
  const members = (await scan(file)).slice(10);
  assert.deepEqual(
    members.map((member) => (member.state === 'whole' ? null : member.damage)),
    cases.map(([damage]) => damage),
  );
});

test('verifying finds nothing in a segment whose rows are all there, in any order', async () => {
  await using archive = await createArchiveDir();
  const { file, locations } = await createSegment(archive.dir);
  const { findings, members, fileBytes } = await verifySegment(file, locations.toReversed());
  assert.deepEqual(findings, []);
  assert.equal(members, 10);
  assert.equal(fileBytes, (await readFile(file)).length);
});

test('verifying names members without a row and rows without a member', async () => {
  await using archive = await createArchiveDir();
  const { file, locations } = await createSegment(archive.dir);
  const orphan = at(locations, 3);
  const inside = { offset: orphan.offset + 5, length: 50, recordId: randomUUID() };
  const beyond = { offset: 10_000_000, length: 50, recordId: randomUUID() };
  const rows = [...locations.filter((location) => location !== orphan), inside, beyond];
  const { findings } = await verifySegment(file, rows);
  const { offset, length, recordId, recordType } = orphan;
  assert.deepEqual(findings, [
    { kind: 'member_without_row', offset, length, recordId, recordType },
    { kind: 'row_without_member', row: inside },
    { kind: 'row_without_member', row: beyond },
  ]);
});

test('verifying names a row with another record or length, and two rows for one member', async () => {
  await using archive = await createArchiveDir();
  const { file, locations } = await createSegment(archive.dir);
  const otherId = { ...at(locations, 0), recordId: randomUUID() };
  const otherLength = { ...at(locations, 1), length: 5 };
  const { findings } = await verifySegment(file, [
    otherId,
    otherLength,
    ...locations.slice(2),
    at(locations, 2),
  ]);
  assert.deepEqual(
    findings.map((finding) => finding.kind),
    ['wrong_member', 'wrong_member', 'row_without_member'],
  );
});

test('verifying goes on at the next row behind a stretch that cannot be read', async () => {
  await using archive = await createArchiveDir();
  const { file, locations } = await createSegment(archive.dir);
  const hurt = at(locations, 4);
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(100), 0, 100, hurt.offset + 20);
  await handle.close();
  const { findings, members } = await verifySegment(file, locations);
  assert.equal(members, 9);
  assert.equal(findings.length, 1);
  const [finding] = findings;
  assert.ok(finding?.kind === 'damage');
  assert.equal(finding.offset, hurt.offset);
  assert.equal(finding.row?.recordId, hurt.recordId);
});
