import type { MethodImpl } from '@connectrpc/connect';
import { ExtractionSchema } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import type { FetchService } from '@decorum/proto/decorum/fetch/v1/fetch_service_pb.ts';
import { RobotsState } from '@decorum/proto/decorum/fetch/v1/lease_pb.ts';
import { ROBOTS_AGE_MS_MAX } from '@decorum/policy/robots/robots-state.ts';
import type { GrantedLease, LeasedItem } from '../../frontier/lease.ts';
import type { StoredValidators } from '../../store/load-validators.ts';
import { durationMs, msDuration } from '../convert/duration-ms.ts';
import { enumValue } from '../convert/enum-text.ts';

/** What Lease needs. */
export type LeaseDeps = {
  readonly leaseMs: number;
  readonly residency: string;
  readonly lease: (
    input: { readonly workerId: string; readonly leasesMax: number },
    waitMs: number,
    signal: AbortSignal,
  ) => Promise<readonly GrantedLease[]>;
};

/** FetchService.Lease. */
export function lease(deps: LeaseDeps): MethodImpl<typeof FetchService.method.lease> {
  return async ({ workerId, leasesMax, wait }, { signal }) => {
    const leases = await deps.lease({ workerId, leasesMax }, durationMs(wait) ?? 0, signal);
    return { leases: leases.map((granted) => fromLease(granted, deps)) };
  };
}

function fromLease(lease: GrantedLease, { leaseMs, residency }: LeaseDeps) {
  const { token, site, scheme, host, port, dialAddress, slot, siteDelayMs, slotSpacingMs, policyVersion } =
    lease;
  const robots = fromRobots(lease);
  return {
    leaseToken: token,
    expiresAfter: msDuration(leaseMs),
    ...{ site, scheme, host, port, slot, policyVersion, residency },
    address: dialAddress,
    siteDelay: msDuration(siteDelayMs),
    slotSpacing: msDuration(slotSpacingMs),
    ...(robots && { robots }),
    items: lease.items.map(fromItem),
  };
}

/** Undefined: never answered. */
function fromRobots({ robotsAgeMs, robotsVersion, robotsContent, robotsDue }: GrantedLease) {
  if (robotsAgeMs === null || robotsAgeMs > ROBOTS_AGE_MS_MAX) return undefined;
  return {
    state: robotsContent === null ? RobotsState.ALLOW_ALL : RobotsState.RULES,
    content: robotsContent ?? new Uint8Array(),
    version: robotsVersion ?? '',
    age: msDuration(robotsAgeMs),
    stale: robotsDue,
  };
}

function fromItem(item: LeasedItem) {
  const { requestId, url, maxBodyBytes, extract, purposes, hop, ledFromCaptureId, validators } = item;
  return {
    ...{ requestId, url, maxBodyBytes, hop },
    extract: extract.map((text) => enumValue(ExtractionSchema, text)),
    purposes: [...purposes],
    ledFromCaptureId: ledFromCaptureId ?? '',
    ...(validators && { validators: fromValidators(validators) }),
  };
}

function fromValidators({ captureId, etag, lastModified, payloadSha256 }: StoredValidators) {
  return { captureId, etag: etag ?? '', lastModified: lastModified ?? '', payloadSha256 };
}
