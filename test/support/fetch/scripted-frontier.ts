import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { durationFromMs } from '@bufbuild/protobuf/wkt';
import { createClient, createRouterTransport, type Client } from '@connectrpc/connect';
import type { Attempt, RobotsAttempt } from '@decorum/proto/decorum/fetch/v1/attempt_pb.ts';
import {
  FetchService,
  LeaseStatus,
  type CompleteRequest,
  type LeaseReport,
} from '@decorum/proto/decorum/fetch/v1/fetch_service_pb.ts';
import {
  RobotsState,
  type LeaseItemSchema,
  type LeaseSchema,
  type RobotsCopySchema,
} from '@decorum/proto/decorum/fetch/v1/lease_pb.ts';

export type LeaseInit = MessageInitShape<typeof LeaseSchema>;
export type ItemInit = MessageInitShape<typeof LeaseItemSchema>;
export type RobotsInit = MessageInitShape<typeof RobotsCopySchema>;

/** A test that waits longer waits for something that will not come. */
const UNTIL_MS_MAX = 20_000;

/** A copy that allows everything. */
export const ALLOW_ALL: RobotsInit = { state: RobotsState.ALLOW_ALL };

/** The server's side of a worker, without a server: grants what a test says and writes down what it is told. */
export type ScriptedFrontier = {
  readonly client: Client<typeof FetchService>;
  readonly leaseMs: number;
  /** Leases waiting to be granted. */
  readonly grants: LeaseInit[];
  readonly completes: CompleteRequest[];
  readonly reports: LeaseReport[];
  readonly renewals: { atMs: number; tokens: readonly string[]; segments: readonly string[] }[];
  readonly opened: string[];
  readonly closed: { segmentId: string; bytes: bigint }[];
  readonly released: string[];
  /** Tokens that every call answers as stale. */
  readonly stale: Set<string>;
  readonly staleSegments: Set<string>;
  /** Told with the next Renew. */
  readonly revoked: Set<string>;
  /** Throws what a call shall fail with. */
  fail: (call: 'lease' | 'renew' | 'complete' | 'openSegment' | 'closeSegment') => void;
  /** What a robots.txt attempt makes the copy. */
  robotsAfter: (attempt: RobotsAttempt) => RobotsInit | undefined;
  segment: { maxBytes: bigint; maxAgeMs: number };
  attempts: () => Attempt[];
  attemptAt: (requestId: string) => Attempt | undefined;
  /** Resolves once so many leases were ended by a report. */
  ended: (count: number) => Promise<void>;
  until: (condition: () => boolean) => Promise<void>;
};

export function createScriptedFrontier(leaseMs = 30_000): ScriptedFrontier {
  const statusOf = (token: string) => (script.stale.has(token) ? LeaseStatus.STALE : LeaseStatus.HELD);
  const transport = createRouterTransport(({ service }) => {
    service(FetchService, {
      async lease({ leasesMax }, { signal }) {
        script.fail('lease');
        if (script.grants.length === 0) await delay(20, undefined, { signal });
        return { leases: script.grants.splice(0, leasesMax) };
      },
      renew({ leaseTokens, segmentIds }) {
        script.fail('renew');
        script.renewals.push({ atMs: performance.now(), tokens: leaseTokens, segments: segmentIds });
        return {
          leases: leaseTokens.map((token) => ({
            status: statusOf(token),
            expiresAfter: durationFromMs(leaseMs),
            revokedRequestIds: [...script.revoked],
          })),
          segments: segmentIds.map((id) =>
            script.staleSegments.has(id) ? LeaseStatus.STALE : LeaseStatus.HELD,
          ),
        };
      },
      complete(request) {
        script.fail('complete');
        script.completes.push(request);
        return {
          leases: request.reports.map((report) => {
            const status = statusOf(report.leaseToken);
            if (status === LeaseStatus.HELD) script.reports.push(report);
            const robots = report.robots === undefined ? undefined : script.robotsAfter(report.robots);
            return { status, ...(robots === undefined ? {} : { robots }) };
          }),
        };
      },
      release({ leaseToken }) {
        script.released.push(leaseToken);
        return { status: LeaseStatus.HELD };
      },
      openSegment() {
        script.fail('openSegment');
        const segmentId = randomUUID();
        script.opened.push(segmentId);
        return {
          segmentId,
          expiresAfter: durationFromMs(leaseMs),
          maxBytes: script.segment.maxBytes,
          maxAge: durationFromMs(script.segment.maxAgeMs),
        };
      },
      closeSegment({ segmentId, bytes }) {
        script.fail('closeSegment');
        script.closed.push({ segmentId, bytes });
        return { status: LeaseStatus.HELD };
      },
    });
  });
  const script: ScriptedFrontier = {
    client: createClient(FetchService, transport),
    leaseMs,
    ...{ grants: [], completes: [], reports: [], renewals: [], opened: [], closed: [], released: [] },
    ...{ stale: new Set(), staleSegments: new Set(), revoked: new Set() },
    fail: () => undefined,
    robotsAfter: () => ALLOW_ALL,
    segment: { maxBytes: 256_000_000n, maxAgeMs: 600_000 },
    attempts: () => script.reports.flatMap(({ attempts }) => attempts),
    attemptAt: (requestId) => script.attempts().find((attempt) => attempt.requestId === requestId),
    ended: (count) => script.until(() => script.reports.filter(({ endLease }) => endLease).length >= count),
    async until(condition) {
      const givenUpAtMs = performance.now() + UNTIL_MS_MAX;
      while (!condition()) {
        assert.ok(performance.now() < givenUpAtMs, `it never came: ${JSON.stringify(describe(script))}`);
        await delay(5);
      }
    },
  };
  return script;
}

function describe(script: ScriptedFrontier): unknown {
  return script.attempts().map(({ requestId, outcome, detail }) => ({ requestId, outcome, detail }));
}
