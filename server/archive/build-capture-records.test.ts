import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { formatDigest } from '@decorum/policy/digest/format-digest.ts';
import { buildCaptureRecords, type CaptureInput } from './build-capture-records.ts';
import type { GzipMember } from './gzip-member.ts';
import type { SpooledBody } from './spool.ts';

const CAPTURE_ID = '01935c2e-7b1a-7000-8000-0123456789ab';
const ORIGINAL_ID = '01935c2e-0000-7000-8000-0123456789ab';
const PAGE = Buffer.from('<p>a page</p>'.repeat(1_000));

/** A body in pieces, in memory or as if it were in a file. */
function bodyOf(bytes: Uint8Array, place: 'memory' | 'file' = 'memory'): SpooledBody {
  const digest = (algorithm: 'sha1' | 'sha256') =>
    formatDigest(algorithm, createHash(algorithm).update(bytes).digest());
  return {
    byteLength: bytes.length,
    sha1: digest('sha1'),
    sha256: digest('sha256'),
    inMemory: place === 'memory' ? bytes : null,
    read: () => [bytes.subarray(0, 10), bytes.subarray(10)],
  };
}

function inputOf(parts: Partial<CaptureInput> = {}): CaptureInput {
  return {
    captureId: CAPTURE_ID,
    targetUri: 'https://example.test/a?b=c',
    capturedAt: new Date('2026-11-30T12:00:00.123Z'),
    ipAddress: '192.0.2.1',
    requestHead: Buffer.from('GET /a?b=c HTTP/1.1\r\nHost: example.test\r\n\r\n'),
    responseHead: Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'),
    body: bodyOf(PAGE),
    truncation: null,
    revisit: null,
    provenance: [],
    ...parts,
  };
}

async function readMember(member: GzipMember | undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of member?.read() ?? []) chunks.push(chunk);
  return gunzipSync(Buffer.concat(chunks)).toString('latin1');
}

test('a response record has these fields, in this order, and the block as received', async () => {
  const members = await buildCaptureRecords(inputOf());
  assert.deepEqual(
    members.map((member) => member.recordType),
    ['request', 'response', 'metadata'],
  );
  const [request, response] = members;
  assert.equal(
    await readMember(response),
    [
      'WARC/1.1',
      'WARC-Type: response',
      `WARC-Record-ID: <urn:uuid:${CAPTURE_ID}>`,
      'WARC-Date: 2026-11-30T12:00:00.123Z',
      'WARC-Target-URI: https://example.test/a?b=c',
      'WARC-IP-Address: 192.0.2.1',
      `WARC-Concurrent-To: <urn:uuid:${request?.recordId ?? ''}>`,
      `WARC-Payload-Digest: ${bodyOf(PAGE).sha256}`,
      `WARC-Block-Digest: ${bodyOf(Buffer.concat([inputOf().responseHead, PAGE])).sha256}`,
      'Content-Type: application/http;msgtype=response',
      `Content-Length: ${inputOf().responseHead.length + PAGE.length}`,
      '',
      `${inputOf().responseHead.toString()}${PAGE.toString()}\r\n\r\n`,
    ].join('\r\n'),
  );
});

test('a record is the same whether its body is in memory or in a file, stored or deflated, at every read', async () => {
  const coded = Buffer.from('HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n');
  for (const responseHead of [inputOf().responseHead, coded]) {
    const [, fromMemory] = await buildCaptureRecords(inputOf({ responseHead }));
    const [, fromFile] = await buildCaptureRecords(inputOf({ responseHead, body: bodyOf(PAGE, 'file') }));
    const record = await readMember(fromMemory);
    assert.ok(record.endsWith(`${PAGE.toString()}\r\n\r\n`));
    assert.equal(await readMember(fromFile), record);
    assert.equal(await readMember(fromFile), record);
    assert.equal(await readMember(fromMemory), record);
  }
});

test('the metadata record has the SHA-1 of a body that was seen, and of no other', async () => {
  const [, , metadata] = await buildCaptureRecords(inputOf({ provenance: [['robotsLine', '1: Allow: /']] }));
  const block = `payloadDigest: ${bodyOf(PAGE).sha1}\r\nrobotsLine: 1: Allow: /\r\n`;
  assert.ok((await readMember(metadata)).endsWith(`\r\n\r\n${block}\r\n\r\n`));

  const revisit = {
    profile: 'server-not-modified',
    captureId: ORIGINAL_ID,
    targetUri: 'https://example.test/a?b=c',
    capturedAt: new Date(0),
    payloadDigest: bodyOf(PAGE).sha256,
  } as const;
  const [, , of304] = await buildCaptureRecords(inputOf({ body: bodyOf(Buffer.alloc(0)), revisit }));
  assert.doesNotMatch(await readMember(of304), /payloadDigest|sha1:/);
});

test('what a site said cannot add a field to the metadata record', async () => {
  const provenance = [['robotsLine', 'Allow: /\r\npayloadDigest: sha1:forged']] as const;
  const [, , metadata] = await buildCaptureRecords(inputOf({ provenance }));
  assert.equal((await readMember(metadata)).split('\npayloadDigest:').length, 2);
});

test('what could not be read back the same is refused', async () => {
  const sameBody = {
    profile: 'identical-payload-digest',
    captureId: ORIGINAL_ID,
    targetUri: 'https://example.test/a?b=c',
    capturedAt: new Date(0),
    payloadDigest: bodyOf(PAGE).sha256,
  } as const;
  await buildCaptureRecords(inputOf({ revisit: sameBody }));
  const wrong: Partial<CaptureInput>[] = [
    { targetUri: 'https://example.test/a\r\nWARC-Type: x' },
    { targetUri: 'https://example.test/a b' },
    { ipAddress: 'example.test' },
    { captureId: 'x' },
    { responseHead: Buffer.from('HTTP/1.1 200 OK\r\n') },
    { responseHead: Buffer.from('HTTP/1.1 200 OK\r\n\r\nA: b\r\n\r\n') },
    { responseHead: Buffer.from(`HTTP/1.1 200 OK\r\nA: ${'b'.repeat(256 * 1024)}\r\n\r\n`) },
    { revisit: { ...sameBody, payloadDigest: bodyOf(Buffer.alloc(0)).sha256 } },
    { revisit: sameBody, truncation: 'time' },
  ];
  for (const parts of wrong) await assert.rejects(buildCaptureRecords(inputOf(parts)), JSON.stringify(parts));
});
