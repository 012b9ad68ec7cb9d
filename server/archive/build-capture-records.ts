import assert from 'node:assert/strict';
import { createHash, hash } from 'node:crypto';
import { isIP } from 'node:net';
import { formatDigest } from '@decorum/policy/digest/format-digest.ts';
import { decideBodyCoding } from './decide-body-coding.ts';
import {
  deflateMember,
  deflateMemberStream,
  storeMember,
  type ByteChunks,
  type GzipMember,
} from './gzip-member.ts';
import { findHeadEnd, HTTP_HEAD_BYTES_MAX, toArchivedHead } from './http-head.ts';
import { toRecordId, type CaptureRecordType } from './record-id.ts';
import type { SpooledBody } from './spool.ts';
import { formatWarcFields, formatWarcHeader, type WarcFields } from './warc-header.ts';

/** Why a stored body is shorter than what the site had (WARC 1.1 §5.13). */
export type Truncation = 'length' | 'time' | 'disconnect';

/** What a revisit says of the capture, always of the same canonical URL, that holds the body. */
export type RevisitInput = {
  /** The server answered 304, or it sent the same payload again. */
  profile: 'server-not-modified' | 'identical-payload-digest';
  captureId: string;
  targetUri: string;
  capturedAt: Date;
  /** The labelled `sha256:` digest of that capture's payload. */
  payloadDigest: string;
};

/** One exchange as it was on the wire. */
export type CaptureInput = {
  /** A UUID; the record ids derive from it (`toRecordId`). */
  captureId: string;
  targetUri: string;
  /** When the request was sent; the one `WARC-Date` of all records, in milliseconds. */
  capturedAt: Date;
  /** The address that was dialled, as text. */
  ipAddress: string;
  /** Request line and field lines with the closing empty line, as sent. */
  requestHead: Uint8Array;
  /** Status line and field lines with the closing empty line, as received. */
  responseHead: Uint8Array;
  /** The body without its transfer coding, with its content coding. */
  body: SpooledBody;
  truncation: Truncation | null;
  revisit: RevisitInput | null;
  /** What else is to be known of the capture (L4), for the metadata record; values may hold anything. */
  provenance: WarcFields;
};

const RECORD_END = Buffer.from('\r\n\r\n');
const PROFILE_PREFIX = 'http://netpreserve.org/warc/1.1/revisit/';

/**
 * Makes the three members of a capture, in file order: `request`, `response` (or `revisit`), `metadata`.
 *
 * - Every record has target URI, date, address, block digest and `WARC-Concurrent-To`; request and metadata
 *   name the response, the response names the request.
 * - `WARC-Payload-Digest` is the SHA-256 of the body as given: de-chunked, still content-coded. A revisit
 *   carries the digest of the original. The SHA-1 goes into the metadata record.
 * - Body bytes come from the spool, once for the block digest and once for each `read` of the member; a long
 *   body is never in memory. The spool is kept until the members were appended.
 * - A body that came compressed lies in the member as it came (`storeMember`).
 *
 * Rejects with an AssertionError when the input cannot be written as a record that is read back the same.
 */
export async function buildCaptureRecords(input: CaptureInput): Promise<GzipMember[]> {
  assertWritable(input);
  return [await buildRequest(input), await buildResponse(input), await buildMetadata(input)];
}

async function buildRequest(input: CaptureInput): Promise<GzipMember> {
  const header = formatRecordHeader(input, 'request', [
    ['WARC-Concurrent-To', toUrn(input.captureId)],
    ['WARC-Block-Digest', sha256Of(input.requestHead)],
    ['Content-Type', 'application/http;msgtype=request'],
    ['Content-Length', String(input.requestHead.length)],
  ]);
  return buildShortMember(input, 'request', [header, input.requestHead]);
}

async function buildMetadata(input: CaptureInput): Promise<GzipMember> {
  const bodySeen = input.revisit?.profile !== 'server-not-modified';
  const block = formatWarcFields([
    ...(bodySeen ? [['payloadDigest', input.body.sha1] as const] : []),
    ...input.provenance,
  ]);
  const header = formatRecordHeader(input, 'metadata', [
    ['WARC-Concurrent-To', toUrn(input.captureId)],
    ['WARC-Block-Digest', sha256Of(block)],
    ['Content-Type', 'application/warc-fields'],
    ['Content-Length', String(block.length)],
  ]);
  return buildShortMember(input, 'metadata', [header, block]);
}

async function buildResponse(input: CaptureInput): Promise<GzipMember> {
  const recordType = input.revisit === null ? 'response' : 'revisit';
  const head = toArchivedHead(input.responseHead);
  const body = input.revisit === null ? input.body : null;
  const header = formatRecordHeader(input, recordType, [
    ['WARC-Concurrent-To', toUrn(toRecordId(input.captureId, 'request'))],
    ...formatRevisitFields(input),
    ['WARC-Payload-Digest', input.revisit?.payloadDigest ?? input.body.sha256],
    ['WARC-Block-Digest', await digestBlock(head, body)],
    ['Content-Type', 'application/http;msgtype=response'],
    ['Content-Length', String(head.length + (body?.byteLength ?? 0))],
  ]);
  if (body === null) return buildShortMember(input, recordType, [header, head]);

  const member = { recordType, recordId: toRecordId(input.captureId, recordType) } as const;
  if (decideBodyCoding(input.responseHead) === 'stored') {
    const memberHead = Buffer.concat([header, head]);
    return { ...member, read: () => storeMember(memberHead, body.read(), RECORD_END) };
  }
  if (body.inMemory !== null) return buildShortMember(input, recordType, [header, head, body.inMemory]);
  return { ...member, read: () => deflateMemberStream(chain([header, head], body.read(), [RECORD_END])) };
}

/** An identical payload left off is truncated by `length`, says the standard (WARC 1.1 §6.7.2). */
function formatRevisitFields(input: CaptureInput): WarcFields {
  const { revisit } = input;
  const truncation = revisit?.profile === 'identical-payload-digest' ? 'length' : input.truncation;
  const truncated = truncation === null ? [] : [['WARC-Truncated', truncation] as const];
  if (revisit === null) return truncated;
  return [
    ['WARC-Profile', PROFILE_PREFIX + revisit.profile],
    ['WARC-Refers-To', toUrn(revisit.captureId)],
    ['WARC-Refers-To-Target-URI', revisit.targetUri],
    ['WARC-Refers-To-Date', revisit.capturedAt.toISOString()],
    ...truncated,
  ];
}

function formatRecordHeader(input: CaptureInput, recordType: CaptureRecordType, fields: WarcFields): Buffer {
  return formatWarcHeader([
    ['WARC-Type', recordType],
    ['WARC-Record-ID', toUrn(toRecordId(input.captureId, recordType))],
    ['WARC-Date', input.capturedAt.toISOString()],
    ['WARC-Target-URI', input.targetUri],
    ['WARC-IP-Address', input.ipAddress],
    ...fields,
  ]);
}

async function buildShortMember(
  input: CaptureInput,
  recordType: CaptureRecordType,
  parts: readonly Uint8Array[],
): Promise<GzipMember> {
  const bytes = await deflateMember(Buffer.concat([...parts, RECORD_END]));
  return { recordType, recordId: toRecordId(input.captureId, recordType), read: () => [bytes] };
}

async function digestBlock(head: Uint8Array, body: SpooledBody | null): Promise<string> {
  const digester = createHash('sha256').update(head);
  for await (const chunk of body?.read() ?? []) digester.update(chunk);
  return formatDigest('sha256', digester.digest());
}

function sha256Of(block: Uint8Array): string {
  return formatDigest('sha256', hash('sha256', block, 'buffer'));
}

function toUrn(recordId: string): string {
  return `<urn:uuid:${recordId}>`;
}

async function* chain(...parts: ByteChunks[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield* part;
}

function assertWritable(input: CaptureInput): void {
  for (const uri of [input.targetUri, input.revisit?.targetUri ?? input.targetUri]) {
    assert.match(uri, /^[\x21-\x7e]+$/, 'a target URI is printable ASCII without blanks');
  }
  assert.notEqual(isIP(input.ipAddress), 0, 'an address is a literal');
  for (const head of [input.requestHead, input.responseHead]) {
    assert.ok(head.length <= HTTP_HEAD_BYTES_MAX, 'a head has at most 256 KiB');
    assert.equal(findHeadEnd(head), head.length, 'a head ends with its first empty line');
  }
  if (input.revisit?.profile === 'identical-payload-digest') {
    assert.equal(input.revisit.payloadDigest, input.body.sha256, 'an identical payload has an equal digest');
    assert.equal(input.truncation, null, 'a truncated payload is not known to be identical');
  }
}
