import type { MethodImpl } from '@connectrpc/connect';
import {
  SignalSourceSchema,
  TruncationSchema,
  type OptOutSignal as ProtoSignal,
} from '@decorum/proto/decorum/crawl/v1/capture_pb.ts';
import { ExtractedDocumentSchema, OutcomeSchema } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import {
  RecordTypeSchema,
  type Attempt,
  type RobotsAttempt,
  type StoredCapture,
  type StoredRecord,
} from '@decorum/proto/decorum/fetch/v1/attempt_pb.ts';
import type {
  FetchService,
  LeaseReport as ProtoReport,
} from '@decorum/proto/decorum/fetch/v1/fetch_service_pb.ts';
import { RobotsState as ProtoRobotsState } from '@decorum/proto/decorum/fetch/v1/lease_pb.ts';
import type { OptOutSignal } from '@decorum/policy/optout/decide-delivery.ts';
import type { Outcome } from '@decorum/policy/retry/attempt-table.ts';
import { robotsInForce, type RobotsState } from '@decorum/policy/robots/robots-state.ts';
import { toJson } from '@bufbuild/protobuf';
import type {
  AttemptReport,
  CaptureReport,
  LeaseReport,
  RobotsReport,
} from '../../frontier/attempt-report.ts';
import type { CompletedLease } from '../../frontier/complete.ts';
import { DomainError } from '../../runtime/domain-error.ts';
import { robotsVersion } from '../../store/robots-state.ts';
import { durationMs, msDuration } from '../convert/duration-ms.ts';
import { enumText } from '../convert/enum-text.ts';
import { toStorable } from '../convert/to-storable.ts';
import { assertReports } from './assert-reports.ts';
import { toStatus } from './renew.ts';

/** What Complete needs. */
export type CompleteDeps = {
  readonly complete: (reports: readonly LeaseReport[]) => Promise<readonly CompletedLease[]>;
  readonly wallMs: () => number;
};

/** FetchService.Complete. */
export function complete(deps: CompleteDeps): MethodImpl<typeof FetchService.method.complete> {
  return async ({ reports }) => {
    assertReports(reports);
    const leases = await deps.complete(reports.map(toReport).map(toStorable));
    return {
      leases: leases.map(({ status, robots, siteDelayMs }) => ({
        status: toStatus(status === 'HELD'),
        ...(robots && { robots: fromRobots(robots, deps.wallMs()) }),
        ...(siteDelayMs !== undefined && { siteDelay: msDuration(Math.ceil(siteDelayMs)) }),
      })),
    };
  };
}

function toReport({ leaseToken, attempts, robots, endLease, idle }: ProtoReport, place: number): LeaseReport {
  return {
    leaseToken,
    attempts: attempts.map((attempt, index) => toAttempt(attempt, `reports[${place}].attempts[${index}]`)),
    robots: robots && toRobots(robots, `reports[${place}].robots`),
    endLease,
    idleMs: durationMs(idle),
  };
}

function toAttempt(attempt: Attempt, path: string): AttemptReport {
  const { detail, redirectUrl, capture, document } = attempt;
  return {
    ...{ detail, redirectUrl },
    requestId: attempt.requestId.toLowerCase(),
    outcome: toOutcome(attempt.outcome, path),
    endedAgoMs: durationMs(attempt.endedAgo) ?? 0,
    responseMs: durationMs(attempt.responseTime),
    totalMs: durationMs(attempt.totalTime),
    retryAfterS: attempt.retryAfterS,
    capture: capture && toCapture(capture),
    document: document && (toJson(ExtractedDocumentSchema, document) as object),
  };
}

function toOutcome(value: number, path: string): Outcome {
  const text = enumText(OutcomeSchema, value);
  if (text !== 'UNSPECIFIED') return text as Outcome;
  throw new DomainError({
    kind: 'invalid',
    reason: 'OUTCOME_MISSING',
    field: `${path}.outcome`,
    message: 'an attempt needs the outcome that it had',
  });
}

function toCapture(capture: StoredCapture): CaptureReport {
  const { captureId, segmentId, statusCode, contentType, payloadSha256, payloadSha1, bodyBytes } = capture;
  const truncation = enumText(TruncationSchema, capture.truncation);
  return {
    ...{ captureId, segmentId, statusCode, contentType, payloadSha256, payloadSha1, bodyBytes },
    records: capture.records.map(toRecord),
    headers: capture.headers.map(({ name, value }) => ({ name, value })),
    truncation: truncation === 'UNSPECIFIED' ? null : (truncation as CaptureReport['truncation']),
    closeDelimited: capture.closeDelimited,
    revisitOfCaptureId: capture.revisitOfCaptureId === '' ? null : capture.revisitOfCaptureId,
    signals: capture.signals.map(toSignal),
    robotsVersion: capture.robotsVersion,
    robotsLine: capture.robotsLine,
    userAgent: capture.userAgent,
  };
}

function toRecord({ type, offset, length }: StoredRecord): CaptureReport['records'][number] {
  const text = enumText(RecordTypeSchema, type).toLowerCase();
  return { type: text as CaptureReport['records'][number]['type'], offset, length };
}

function toSignal({ source, name, value }: ProtoSignal): OptOutSignal {
  return { source: enumText(SignalSourceSchema, source) as OptOutSignal['source'], name, value };
}

function toRobots(robots: RobotsAttempt, path: string): RobotsReport {
  return {
    outcome: toOutcome(robots.outcome, path),
    statusCode: robots.statusCode,
    content: robots.content,
    redirectUrl: robots.redirectUrl,
    maxAgeS: robots.maxAge && Number(robots.maxAge.seconds),
    endedAgoMs: durationMs(robots.endedAgo) ?? 0,
    responseMs: durationMs(robots.responseTime),
    retryAfterS: robots.retryAfterS,
  };
}

function fromRobots(state: RobotsState, nowMs: number) {
  const inForce = robotsInForce(state, state.answer?.answeredAtMs ?? nowMs);
  switch (inForce.kind) {
    case 'RULES':
      return {
        state: ProtoRobotsState.RULES,
        content: inForce.content,
        version: robotsVersion(inForce.content),
        age: msDuration(inForce.ageMs),
      };
    case 'ALLOW_ALL':
      return { state: ProtoRobotsState.ALLOW_ALL, age: msDuration(inForce.ageMs) };
    case 'DISALLOW_ALL':
      return { state: ProtoRobotsState.DISALLOW_ALL };
  }
}
