import { randomBytes } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { Truncation } from '@decorum/proto/decorum/crawl/v1/capture_pb.ts';
import { RecordType, type StoredCaptureSchema } from '@decorum/proto/decorum/fetch/v1/attempt_pb.ts';
import type { LeaseItem } from '@decorum/proto/decorum/fetch/v1/lease_pb.ts';
import {
  buildCaptureId,
  CAPTURE_ID_RANDOM_BYTES,
  captureIdTimeMs,
} from '@decorum/policy/digest/capture-id.ts';
import { buildCaptureRecords, type RevisitInput } from '../archive/build-capture-records.ts';
import { ARCHIVED_TRANSFER_CODING_FIELD } from '../archive/http-head.ts';
import type { CaptureRecordType } from '../archive/record-id.ts';
import type { MemberLocation } from '../archive/segment-writer.ts';
import type { WarcFields } from '../archive/warc-header.ts';
import type { Answer, CutBody, Exchange } from './exchange.ts';
import { fieldValues } from './fields.ts';
import type { LocalLease } from './local-lease.ts';
import type { FoundSignal } from './read-signals.ts';
import type { SegmentKeeper } from './segment-keeper.ts';

/** What is said of a capture beside what was on the wire (L4). */
export type CaptureContext = {
  readonly lease: LocalLease;
  readonly item: LeaseItem;
  /** The request carried the item's validators. */
  readonly isConditional: boolean;
  readonly robotsVersion: string;
  readonly robotsLine: string;
  readonly signals: readonly FoundSignal[];
  readonly userAgent: string;
};

/** The number of the only cell there is yet. */
const CELL = 0;

/**
 * D2: stores an exchange as WARC records and describes it for Complete; durable when it resolves. A 304 of a conditional
 * request, and a whole body with the digest that the last capture had, become revisit records. Rejects with a FetchFailure
 * when it could not be stored.
 */
export async function storeCapture(
  segments: SegmentKeeper,
  exchange: Exchange & { readonly answer: Answer; readonly requestHead: Uint8Array },
  context: CaptureContext,
): Promise<MessageInitShape<typeof StoredCaptureSchema>> {
  const { answer } = exchange;
  const { lease, item } = context;
  const capturedAtMs = Math.floor(exchange.writtenAtWallMs);
  const captureId = buildCaptureId({
    cell: CELL,
    capturedAtMs,
    random: randomBytes(CAPTURE_ID_RANDOM_BYTES),
  });
  const revisit = decideRevisit(answer, context);
  const members = await buildCaptureRecords({
    captureId,
    targetUri: item.url,
    capturedAt: new Date(capturedAtMs),
    ipAddress: lease.lease.address,
    requestHead: exchange.requestHead,
    responseHead: answer.head,
    body: answer.body,
    truncation: answer.truncation,
    revisit,
    provenance: describeProvenance(exchange, context),
  });
  lease.check();
  const appended = await segments.append(lease.lease.residency, members);
  const isUnseen = revisit?.profile === 'server-not-modified';
  return {
    captureId,
    segmentId: appended.segmentId,
    records: appended.members.map(toStoredRecord),
    statusCode: answer.statusCode,
    headers: answer.fields.map(toStoredField),
    contentType: fieldValues(answer.fields, 'content-type')[0] ?? '',
    payloadSha256: (isUnseen ? revisit.payloadDigest : answer.body.sha256).slice(SHA256_LABEL.length),
    payloadSha1: isUnseen ? '' : answer.body.sha1,
    bodyBytes: BigInt(answer.body.byteLength),
    truncation: answer.truncation === null ? Truncation.UNSPECIFIED : TRUNCATIONS[answer.truncation],
    closeDelimited: answer.isCloseDelimited,
    revisitOfCaptureId: revisit?.captureId ?? '',
    signals: [...context.signals],
    robotsVersion: context.robotsVersion,
    robotsLine: context.robotsLine,
    userAgent: context.userAgent,
  };
}

/** Whether an item says enough of an earlier capture for a conditional request whose 304 can be stored. */
export function canRevisit({ validators }: LeaseItem): boolean {
  return (
    validators !== undefined &&
    /^[0-9a-f]{64}$/.test(toHex(validators.payloadSha256)) &&
    captureIdTimeMs(validators.captureId) !== null
  );
}

const SHA256_LABEL = 'sha256:';

const TRUNCATIONS: Readonly<Record<CutBody, Truncation>> = {
  length: Truncation.LENGTH,
  time: Truncation.TIME,
  disconnect: Truncation.DISCONNECT,
};

const RECORD_TYPES: Readonly<Record<CaptureRecordType, RecordType>> = {
  request: RecordType.REQUEST,
  response: RecordType.RESPONSE,
  revisit: RecordType.REVISIT,
  metadata: RecordType.METADATA,
};

function decideRevisit(answer: Answer, { item, isConditional }: CaptureContext): RevisitInput | null {
  const { validators, url } = item;
  if (validators === undefined || !canRevisit(item)) return null;
  const payloadDigest = SHA256_LABEL + toHex(validators.payloadSha256);
  const capturedAt = new Date(captureIdTimeMs(validators.captureId) ?? 0);
  const of = { captureId: validators.captureId, targetUri: url, capturedAt, payloadDigest };
  if (answer.statusCode === 304 && isConditional) return { profile: 'server-not-modified', ...of };
  const isSame =
    answer.statusCode === 200 && answer.truncation === null && answer.body.sha256 === payloadDigest;
  return isSame ? { profile: 'identical-payload-digest', ...of } : null;
}

function describeProvenance(exchange: Exchange, context: CaptureContext): WarcFields {
  const { lease, item } = context;
  const fields: [string, string][] = [
    ['fetchTimeMs', String(Math.round(exchange.totalTimeMs))],
    ['userAgent', context.userAgent],
    ['robotsVersion', context.robotsVersion],
    ['robotsLine', context.robotsLine],
    ['policyVersion', String(lease.lease.policyVersion)],
    ['residency', lease.lease.residency],
    ['ledFromCaptureId', item.ledFromCaptureId],
    ...context.signals.map(({ name, value }): [string, string] => ['optOutSignal', `${name}: ${value}`]),
  ];
  return fields.filter(([, value]) => value !== '');
}

function toStoredRecord({ recordType, offset, length }: MemberLocation): {
  type: RecordType;
  offset: bigint;
  length: bigint;
} {
  const type = recordType === 'warcinfo' ? RecordType.UNSPECIFIED : RECORD_TYPES[recordType];
  return { type, offset: BigInt(offset), length: BigInt(length) };
}

/** As in the stored head, where the transfer coding that the body no longer has goes by another name. */
function toStoredField({ name, value }: { name: string; value: string }): { name: string; value: string } {
  return name.toLowerCase() === 'transfer-encoding'
    ? { name: ARCHIVED_TRANSFER_CODING_FIELD, value }
    : { name, value };
}

function toHex(digest: string): string {
  return digest.startsWith(SHA256_LABEL) ? digest.slice(SHA256_LABEL.length) : digest;
}
