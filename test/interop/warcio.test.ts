/** What a foreign reader makes of our segments: `warcio` reads them to the end and agrees with every digest. */
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { formatDigest } from '@decorum/policy/digest/format-digest.ts';
import { buildCaptureRecords } from '@decorum/server/archive/build-capture-records.ts';
import { buildTombstone } from '@decorum/server/archive/build-tombstone.ts';
import type { MemberLocation } from '@decorum/server/archive/segment-writer.ts';
import { WARCParser } from 'warcio';
import {
  appendPage,
  CAPTURED_AT,
  createArchiveDir,
  openTestSegment,
  spoolBody,
  toCaptureInput,
} from '../support/archive/segments.ts';

type ForeignRecord = {
  offset: number;
  length: number;
  field: (name: string) => string | null;
  /** The HTTP status line, where there is a message. */
  statusLine: string | undefined;
  httpField: (name: string) => string | null;
  /** The payload without HTTP decoding, and with what the reader thinks is decoding. */
  raw: Buffer;
  content: Buffer;
};

async function readForeign(file: string): Promise<ForeignRecord[]> {
  const records: ForeignRecord[] = [];
  const parser = new WARCParser(createReadStream(file) as AsyncIterable<Uint8Array>, {
    keepHeadersCase: true,
  });
  for await (const record of parser) {
    const raw = Buffer.from(await record.readFully(false));
    const content = Buffer.from(await record.readFully(true));
    const { offset } = parser;
    await record.skipFully();
    records.push({
      offset,
      length: parser.recordLength,
      field: (name) => record.warcHeaders.headers.get(name) ?? null,
      statusLine: record.httpHeaders?.statusline,
      httpField: (name) => record.httpHeaders?.headers.get(name) ?? null,
      raw,
      content,
    });
  }
  return records;
}

/** The record in the member at a location, cut out of the file and inflated by zlib alone. */
async function gunzipAt(
  file: string,
  { offset, length }: { offset: number; length: number },
): Promise<Buffer> {
  return gunzipSync((await readFile(file)).subarray(offset, offset + length));
}

function blockOf(record: Buffer): Buffer {
  return record.subarray(record.indexOf('\r\n\r\n') + 4, -4);
}

const sha256 = (bytes: Uint8Array) => formatDigest('sha256', createHash('sha256').update(bytes).digest());

test('warcio reads a segment to its end, and every record is where the writer said', async () => {
  await using archive = await createArchiveDir();
  const { writer, file } = await openTestSegment(archive.dir);
  const locations: MemberLocation[] = [];
  const pages = ['<p>one</p>', '', 'two '.repeat(50_000), randomBytes(300_000)];
  for (const page of pages) locations.push(...(await appendPage(archive.dir, writer, page)));
  await writer.close();

  const records = await readForeign(file);
  assert.equal(records.length, 1 + 3 * pages.length);
  assert.equal(records[0]?.field('WARC-Type'), 'warcinfo');
  assert.deepEqual(
    records.slice(1).map((record) => [record.field('WARC-Type'), record.offset]),
    locations.map((location) => [location.recordType, location.offset]),
  );
  for (const location of locations) {
    const record = await gunzipAt(file, location);
    assert.equal(record.toString('latin1', 0, 10), 'WARC/1.1\r\n');
    assert.ok(record.includes(`<urn:uuid:${location.recordId}>`));
  }
  const { size } = await stat(file);
  const last = locations.at(-1);
  assert.equal(last && last.offset + last.length, size);
});

test('digests, address, date and target are on the records, and agree with the content', async () => {
  await using archive = await createArchiveDir();
  const { writer, file } = await openTestSegment(archive.dir);
  const page = Buffer.from('<p>gr\u00fc\u00dfe</p>');
  const locations = await appendPage(archive.dir, writer, page);
  await writer.close();

  const [, request, response, metadata] = await readForeign(file);
  assert.ok(request && response && metadata);
  for (const record of [request, response, metadata]) {
    assert.equal(record.field('WARC-IP-Address'), '2001:db8::1');
    assert.equal(record.field('WARC-Date'), '2026-11-30T12:00:00.123Z');
    assert.equal(record.field('WARC-Target-URI'), 'https://example.test/page');
    assert.ok(record.field('WARC-Concurrent-To'));
  }
  assert.equal(request.field('WARC-Concurrent-To'), response.field('WARC-Record-ID'));
  assert.equal(metadata.field('WARC-Concurrent-To'), response.field('WARC-Record-ID'));
  assert.equal(response.field('WARC-Concurrent-To'), request.field('WARC-Record-ID'));
  assert.deepEqual(response.raw, page);
  assert.equal(response.field('WARC-Payload-Digest'), sha256(page));
  assert.match(
    metadata.raw.toString(),
    new RegExp(`^payloadDigest: ${formatDigest('sha1', createHash('sha1').update(page).digest())}\r\n`),
  );
  for (const [index, record] of [request, response, metadata].entries()) {
    const location = locations[index];
    assert.ok(location);
    assert.equal(record.field('WARC-Block-Digest'), sha256(blockOf(await gunzipAt(file, location))));
  }
});

test('a body that looks like the next record comes back unchanged', async () => {
  await using archive = await createArchiveDir();
  const { writer, file } = await openTestSegment(archive.dir);
  const page = 'a\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n';
  await appendPage(archive.dir, writer, page);
  await appendPage(archive.dir, writer, 'next');
  await writer.close();

  const records = await readForeign(file);
  assert.equal(records.length, 7);
  assert.equal(records[2]?.raw.toString(), page);
  assert.equal(records[5]?.raw.toString(), 'next');
});

test('the same page in different chunks has one payload digest, and no reader takes chunks off again', async () => {
  await using archive = await createArchiveDir();
  const { writer, file } = await openTestSegment(archive.dir);
  // Text that a reader which believes in chunks would take for one.
  const page = Buffer.from('5\r\nhello\r\n0\r\n\r\n'.repeat(100));
  const head = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
  for (const boundary of [1, 700]) {
    await using spooled = await spoolBody(archive.dir, [page.subarray(0, boundary), page.subarray(boundary)]);
    await writer.append(await buildCaptureRecords(toCaptureInput(spooled.body, { responseHead: head })));
  }
  await writer.close();

  const responses = (await readForeign(file)).filter((record) => record.field('WARC-Type') === 'response');
  assert.equal(responses.length, 2);
  for (const response of responses) {
    assert.equal(response.field('WARC-Payload-Digest'), sha256(page));
    assert.deepEqual(response.content, page);
    assert.equal(response.httpField('Transfer-Encoding'), null);
    assert.equal(response.httpField('X-Crawler-Transfer-Encoding'), 'chunked');
  }
});

test('a body that came compressed lies in the file as it came, and is decoded by its content coding', async () => {
  await using archive = await createArchiveDir();
  const { writer, file } = await openTestSegment(archive.dir);
  const page = Buffer.from('<p>many words</p>'.repeat(30_000));
  const coded = gzipSync(page, { level: 1 });
  const head = Buffer.from(
    'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nX-Note: caf\u00e9\r\n\r\n',
    'latin1',
  );
  for (const memoryBytesMax of [1024 * 1024, 100]) {
    await using spooled = await spoolBody(archive.dir, [coded], memoryBytesMax);
    await writer.append(await buildCaptureRecords(toCaptureInput(spooled.body, { responseHead: head })));
  }
  await writer.close();

  const responses = (await readForeign(file)).filter((record) => record.field('WARC-Type') === 'response');
  assert.equal(responses.length, 2);
  for (const response of responses) {
    assert.deepEqual(response.raw, coded);
    assert.deepEqual(response.content, page);
    assert.equal(response.field('WARC-Payload-Digest'), sha256(coded));
    assert.ok(response.length < coded.length + 600, `${response.length} bytes around ${coded.length}`);
    const record = await gunzipAt(file, response);
    assert.ok(record.includes(head), 'the head has other bytes than were received');
  }
  assert.ok((await readFile(file)).includes(coded.subarray(0, 10_000)));
});

test('a truncated body says why', async () => {
  await using archive = await createArchiveDir();
  const { writer, file } = await openTestSegment(archive.dir);
  for (const truncation of ['length', 'time', 'disconnect'] as const) {
    await using spooled = await spoolBody(archive.dir, [Buffer.from('half of')]);
    await writer.append(await buildCaptureRecords(toCaptureInput(spooled.body, { truncation })));
  }
  await writer.close();

  const responses = (await readForeign(file)).filter((record) => record.field('WARC-Type') === 'response');
  assert.deepEqual(
    responses.map((response) => response.field('WARC-Truncated')),
    ['length', 'time', 'disconnect'],
  );
});

test('revisits name the original and keep head, address and digest', async () => {
  await using archive = await createArchiveDir();
  const { writer, file } = await openTestSegment(archive.dir);
  const page = Buffer.from('the same page');
  const original = {
    captureId: randomUUID(),
    targetUri: 'https://example.test/page',
    capturedAt: new Date('2026-11-01T00:00:00.001Z'),
    payloadDigest: sha256(page),
  };
  const cases = [
    { profile: 'server-not-modified', received: '', status: 'HTTP/1.1 304 Not Modified' },
    { profile: 'identical-payload-digest', received: page, status: 'HTTP/1.1 200 OK' },
  ] as const;
  for (const { profile, received, status } of cases) {
    await using spooled = await spoolBody(archive.dir, [Buffer.from(received)]);
    const responseHead = Buffer.from(`${status}\r\nETag: "1"\r\n\r\n`);
    const revisit = { profile, ...original };
    await writer.append(await buildCaptureRecords(toCaptureInput(spooled.body, { responseHead, revisit })));
  }
  await writer.close();

  const records = await readForeign(file);
  const revisits = records.filter((record) => record.field('WARC-Type') === 'revisit');
  assert.equal(revisits.length, 2);
  for (const [index, revisit] of revisits.entries()) {
    assert.equal(
      revisit.field('WARC-Profile'),
      `http://netpreserve.org/warc/1.1/revisit/${cases[index]?.profile ?? ''}`,
    );
    assert.equal(revisit.field('WARC-Refers-To'), `<urn:uuid:${original.captureId}>`);
    assert.equal(revisit.field('WARC-Refers-To-Target-URI'), original.targetUri);
    assert.equal(revisit.field('WARC-Refers-To-Date'), '2026-11-01T00:00:00.001Z');
    assert.equal(revisit.field('WARC-Payload-Digest'), original.payloadDigest);
    assert.equal(revisit.field('WARC-IP-Address'), '2001:db8::1');
    assert.equal(revisit.statusLine, cases[index]?.status);
    assert.equal(revisit.httpField('ETag'), '"1"');
    assert.equal(revisit.raw.length, 0);
  }
  assert.equal(revisits[0]?.field('WARC-Truncated'), null);
  assert.equal(revisits[1]?.field('WARC-Truncated'), 'length');
  assert.ok(records.every((record) => !record.raw.includes('sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ')));
});

test('a segment with tombstones in it reads to its end, and the other records are where they were', async () => {
  await using archive = await createArchiveDir();
  const { writer, file } = await openTestSegment(archive.dir);
  const locations: MemberLocation[] = [];
  for (const page of ['one', randomBytes(200_000), 'three']) {
    locations.push(...(await appendPage(archive.dir, writer, page)));
  }
  await writer.close();
  const erased = locations.slice(3, 6);
  const handle = await open(file, 'r+');
  for (const { offset, length } of erased) {
    let position = offset;
    for (const chunk of buildTombstone({ length, recordId: randomUUID(), date: CAPTURED_AT })) {
      await handle.write(chunk, 0, chunk.length, position);
      position += chunk.length;
    }
    assert.equal(position, offset + length);
  }
  await handle.close();

  const records = await readForeign(file);
  assert.deepEqual(
    records.slice(1).map((record) => record.offset),
    locations.map((location) => location.offset),
  );
  assert.equal(records[2]?.raw.toString(), 'one');
  assert.equal(records[8]?.raw.toString(), 'three');
  for (const record of records.slice(4, 7)) {
    assert.equal(record.field('WARC-Type'), 'metadata');
    assert.match(record.raw.toString(), /^erased *$/);
  }
});

test('warcio reads tombstones of every short length', async () => {
  async function* allLengths(): AsyncGenerator<Uint8Array> {
    for (let length = 223; length <= 2_000; length += 7) {
      yield Buffer.concat([...buildTombstone({ length, recordId: randomUUID(), date: CAPTURED_AT })]);
    }
  }
  let records = 0;
  for await (const record of WARCParser.iterRecords(allLengths())) {
    assert.equal(record.warcType, 'metadata');
    assert.match(await record.contentText(), /^erased *$/);
    records += 1;
  }
  assert.equal(records, 254);
});
