/** A frontier on a real database, driven call by call: tenants, hosts with fixed addresses, and reports by default values. */
import { randomUUID } from 'node:crypto';
import { createAddressBlocks } from '@decorum/policy/address/address-blocks.ts';
import type { AttemptReport, CaptureReport, LeaseReport } from '@decorum/server/frontier/attempt-report.ts';
import { completeLeases } from '@decorum/server/frontier/complete.ts';
import type { SubmitItem } from '@decorum/server/frontier/decide-submit.ts';
import { leaseSites, type GrantedLease } from '@decorum/server/frontier/lease.ts';
import { resolveHosts } from '@decorum/server/frontier/resolve-hosts.ts';
import { submitRequests, type SubmitOutcome } from '@decorum/server/frontier/submit.ts';
import { openSegment } from '@decorum/server/store/segments.ts';
import type { TestDatabase } from './database.ts';

export const LEASE_MS = 60_000;
export const exempt = createAddressBlocks(['127.64.0.0/10']);
const quiet = () => undefined;

export type TestFrontier = Awaited<ReturnType<typeof createTestFrontier>>;

/** Addresses by host; a host that is not named gets 127.64.0.1. */
export async function createTestFrontier(
  db: TestDatabase,
  tenants: Readonly<Record<string, string>>,
  addresses: Readonly<Record<string, string>> = {},
) {
  for (const [tenantId, purpose] of Object.entries(tenants)) {
    await db.admin`insert into tenant (tenant_id, purpose) values (${tenantId}, ${purpose})`;
  }
  const segmentId = randomUUID();
  await openSegment(db.general, { segmentId, workerId: 'w', residency: 'local', leaseMs: LEASE_MS });
  let offset = 0n;
  return {
    segmentId,
    /** Submits URLs or items under a batch id of their own. */
    submit: (
      tenantId: string,
      items: readonly (string | (Partial<SubmitItem> & { url: string }))[],
      requestId: string = randomUUID(),
    ): Promise<readonly SubmitOutcome[]> =>
      submitRequests(
        { pool: db.general, wallMs: Date.now, exempt, wake: quiet },
        {
          tenantId,
          requestId,
          payload: Buffer.from(JSON.stringify(items)),
          items: items.map((item) => toItem(typeof item === 'string' ? { url: item } : item)),
        },
      ),
    resolve: () =>
      resolveHosts({
        pool: db.general,
        exempt,
        wake: quiet,
        resolve: async (host) => {
          const ip = addresses[host] ?? '127.64.0.1';
          return ip === 'none' ? { kind: 'none' } : { kind: 'addresses', ips: [ip], ttlS: 3_600 };
        },
      }),
    lease: (leasesMax = 10): Promise<readonly GrantedLease[]> =>
      leaseSites(db.lease, { workerId: 'w', leasesMax, leaseMs: LEASE_MS }),
    complete: (...reports: readonly LeaseReport[]) =>
      completeLeases({ pool: db.control, productToken: 'decorumbot', wake: quiet }, reports),
    /** A stored exchange at the next free place of the segment. */
    capture: (over: Partial<CaptureReport> = {}): CaptureReport => {
      offset += 1_000n;
      return {
        captureId: randomUUID(),
        segmentId,
        records: [{ type: 'response', offset, length: 900n }],
        statusCode: 200,
        headers: [],
        contentType: 'text/html',
        payloadSha256: '00'.repeat(32),
        payloadSha1: '',
        bodyBytes: 10n,
        truncation: null,
        closeDelimited: false,
        revisitOfCaptureId: null,
        signals: [],
        robotsVersion: '',
        robotsLine: '',
        userAgent: 'test',
        ...over,
      };
    },
  };
}

function toItem(over: Partial<SubmitItem> & { url: string }): SubmitItem {
  return {
    band: undefined,
    reason: 'DISCOVERY',
    tier: '',
    label: '',
    notBefore: undefined,
    deadline: undefined,
    maxAgeMs: undefined,
    onlyIfNew: false,
    maxBodyBytes: undefined,
    extract: [],
    clientRef: new Uint8Array(),
    ...over,
  };
}

export function attempt(over: Partial<AttemptReport> & { requestId: string }): AttemptReport {
  return {
    outcome: 'FETCHED',
    detail: '',
    endedAgoMs: 0,
    responseMs: 10,
    totalMs: 20,
    retryAfterS: undefined,
    redirectUrl: '',
    capture: undefined,
    document: undefined,
    ...over,
  };
}

export function report(lease: GrantedLease, over: Partial<LeaseReport> = {}): LeaseReport {
  return { leaseToken: lease.token, attempts: [], robots: undefined, endLease: true, idleMs: 0, ...over };
}
