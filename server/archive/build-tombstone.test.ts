import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { buildTombstone, TOMBSTONE_BYTES_MIN } from './build-tombstone.ts';
import { findHeadEnd } from './http-head.ts';
import { getRecordId, getWarcField, parseWarcHeader } from './warc-header.ts';

const RECORD_ID = '01935c2e-7b1a-7000-8000-0123456789ab';
const DATE = new Date('2026-11-30T12:00:00.123Z');
const build = (length: number) =>
  Buffer.concat([...buildTombstone({ length, recordId: RECORD_ID, date: DATE })]);

function assertTombstone(length: number): void {
  const member = build(length);
  assert.equal(member.length, length);
  const record = gunzipSync(member);
  const blockStart = findHeadEnd(record);
  const parsed = parseWarcHeader(record.subarray(0, blockStart));
  assert.ok(parsed.ok, `${length} bytes`);
  assert.equal(getWarcField(parsed.header, 'WARC-Type'), 'metadata');
  assert.equal(getWarcField(parsed.header, 'WARC-Date'), '2026-11-30T12:00:00.123Z');
  assert.equal(getRecordId(parsed.header), RECORD_ID);
  const blockBytes = Number(getWarcField(parsed.header, 'Content-Length'));
  assert.equal(record.length, blockStart + blockBytes + 4, `${length} bytes`);
  assert.match(record.toString('latin1', blockStart), /^erased *\r\n\r\n$/);
}

test('a tombstone is a WARC record in a gzip member of exactly the length asked for', () => {
  for (let length = TOMBSTONE_BYTES_MIN; length <= 2_000; length += 1) assertTombstone(length);
});

test('so it is around every border of the stored blocks and of the digits of its length', () => {
  for (const border of [10_201, 65_558, 131_098, 196_638, 1_000_000]) {
    for (let length = border - 12; length <= border + 12; length += 1) assertTombstone(length);
  }
  assertTombstone(10_000_000);
});

test('a tombstone is the same bytes at every try', () => {
  assert.deepEqual(build(70_000), build(70_000));
});

test('a long tombstone is made in pieces', () => {
  const pieces = [...buildTombstone({ length: 10_000_000, recordId: RECORD_ID, date: DATE })];
  assert.ok(Math.max(...pieces.map((piece) => piece.length)) <= 65_535);
});

test('a length or an id that cannot be is refused', () => {
  assert.throws(() => build(TOMBSTONE_BYTES_MIN - 1), RangeError);
  assert.throws(() => build(500.5), RangeError);
  assert.throws(() => [...buildTombstone({ length: 500, recordId: 'x', date: DATE })], RangeError);
});
