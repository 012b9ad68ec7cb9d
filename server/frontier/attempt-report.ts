import type { OptOutSignal } from '@decorum/policy/optout/decide-delivery.ts';
import type { Outcome } from '@decorum/policy/retry/attempt-table.ts';
import type { StoredRecord } from '../store/insert-captures.ts';

/** What a worker reports of one lease. */
export type LeaseReport = {
  readonly leaseToken: string;
  readonly attempts: readonly AttemptReport[];
  readonly robots: RobotsReport | undefined;
  readonly endLease: boolean;
  /** Since the last request of the lease ended; undefined when it made none. */
  readonly idleMs: number | undefined;
};

/** One try at one URL. Times are durations by the worker's clock, counted when it sent the report (M4). */
export type AttemptReport = {
  readonly requestId: string;
  readonly outcome: Outcome;
  readonly detail: string;
  readonly endedAgoMs: number;
  readonly responseMs: number | undefined;
  readonly totalMs: number | undefined;
  readonly retryAfterS: number | undefined;
  /** Canonical; empty when a redirect has no target that can be fetched. */
  readonly redirectUrl: string;
  readonly capture: CaptureReport | undefined;
  readonly document: object | undefined;
};

/** An exchange that the worker made durable before it reported it (D2). */
export type CaptureReport = {
  readonly captureId: string;
  readonly segmentId: string;
  readonly records: readonly StoredRecord[];
  readonly statusCode: number;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly contentType: string;
  readonly payloadSha256: string;
  readonly payloadSha1: string;
  readonly bodyBytes: bigint;
  readonly truncation: 'LENGTH' | 'TIME' | 'DISCONNECT' | null;
  readonly closeDelimited: boolean;
  readonly revisitOfCaptureId: string | null;
  readonly signals: readonly OptOutSignal[];
  readonly robotsVersion: string;
  readonly robotsLine: string;
  readonly userAgent: string;
};

/** What asking for robots.txt produced. */
export type RobotsReport = {
  readonly outcome: Outcome;
  /** 0 when no status line came. */
  readonly statusCode: number;
  readonly content: Uint8Array;
  /** Where it leads when it leaves the origin. */
  readonly redirectUrl: string;
  readonly maxAgeS: number | undefined;
  readonly endedAgoMs: number;
  readonly responseMs: number | undefined;
  readonly retryAfterS: number | undefined;
};
