import { fromJson, type JsonValue } from '@bufbuild/protobuf';
import { timestampFromDate, type Timestamp } from '@bufbuild/protobuf/wkt';
import { ReasonSchema } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import {
  ExtractedDocumentSchema,
  OutcomeSchema,
  ResultKind,
} from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import type { WholeResult } from '../../results/read-results.ts';
import type { ResultRow } from '../../store/result-row.ts';
import { fromCapture } from '../content/from-capture.ts';
import { msDuration } from '../convert/duration-ms.ts';
import { enumValue } from '../convert/enum-text.ts';
import { fromLane } from './lane.ts';

/** A result as the contract shows it, with its capture and a verdict for each purpose. */
export function fromResult({ result: row, capture }: WholeResult, purposes: readonly string[]) {
  const { cell, generation, requestId, url, finalUrl, detail, attempts, band, tier, label, coalesced } = row;
  return {
    ...{ cell, generation, requestId, url, finalUrl, detail, attempts, band, tier, label, coalesced },
    number: row.number ?? 0n,
    lane: fromLane(row.lane),
    kind: ResultKind[row.kind],
    redirects: row.redirects.map((hop) => ({ ...hop, captureId: hop.captureId ?? '' })),
    outcome: enumValue(OutcomeSchema, row.outcome ?? ''),
    reason: enumValue(ReasonSchema, row.reason),
    clientRef: row.clientRef ?? new Uint8Array(),
    takedownId: row.takedownId ?? '',
    times: fromTimes(row),
    ...(capture && { capture: fromCapture(capture, purposes) }),
    ...(row.document && { document: fromJson(ExtractedDocumentSchema, row.document as JsonValue) }),
  };
}

function fromTimes(row: ResultRow) {
  return {
    ...instant('submittedAt', row.submittedAt),
    ...instant('leasedAt', row.leasedAt),
    ...instant('fetchedAt', row.fetchedAt),
    ...instant('completedAt', row.completedAt),
    ...instant('publishedAt', row.publishedAt),
    ...(row.responseMs !== null && { responseTime: msDuration(row.responseMs) }),
    ...(row.totalMs !== null && { totalTime: msDuration(row.totalMs) }),
  };
}

function instant<Name extends string>(name: Name, at: Date | null): Partial<Record<Name, Timestamp>> {
  return at === null ? {} : ({ [name]: timestampFromDate(at) } as Partial<Record<Name, Timestamp>>);
}
