import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  OptOutDecision,
  SignalSourceSchema,
  TruncationSchema,
} from '@decorum/proto/decorum/crawl/v1/capture_pb.ts';
import { decideDelivery, type OptOutSignal } from '@decorum/policy/optout/decide-delivery.ts';
import type { CaptureRow } from '../../store/capture-row.ts';
import { enumValue } from '../convert/enum-text.ts';

/** A capture as the contract shows it, with a verdict for each purpose. */
export function fromCapture(row: CaptureRow, purposes: readonly string[]) {
  const { captureId, url, statusCode, contentType, payloadSha1, bodyBytes, closeDelimited } = row;
  return {
    ...{ captureId, url, statusCode, contentType, payloadSha1, bodyBytes, closeDelimited },
    fetchedAt: timestampFromDate(row.fetchedAt),
    headers: row.headers.map(({ name, value }) => ({ name, value })),
    payloadSha256: Buffer.from(row.payloadSha256 ?? []).toString('hex'),
    truncation: enumValue(TruncationSchema, row.truncation ?? ''),
    revisitOfCaptureId: row.revisitOfCaptureId ?? '',
    provenance: fromProvenance(row),
    optOuts: purposes.map((purpose) => toVerdict(purpose, row.signals)),
  };
}

function fromProvenance(row: CaptureRow) {
  const { address, robotsLine, policyVersion, residency, userAgent } = row;
  return {
    ...{ address, robotsLine, policyVersion, residency, userAgent },
    robotsVersion: row.robotsVersion ?? '',
    ledFromCaptureId: row.ledFromCaptureId ?? '',
    signals: row.signals.map(fromSignal),
  };
}

function fromSignal({ source, name, value }: OptOutSignal) {
  return { source: enumValue(SignalSourceSchema, source), name, value };
}

function toVerdict(purpose: string, signals: readonly OptOutSignal[]) {
  const delivery = decideDelivery(purpose, signals);
  if (delivery.kind === 'deliver') return { purpose, decision: OptOutDecision.ALLOW };
  return { purpose, decision: OptOutDecision.DENY, decidedBy: fromSignal(delivery.decidedBy) };
}
