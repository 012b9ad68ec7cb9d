import type { MethodImpl } from '@connectrpc/connect';
import { LeaseStatus, type FetchService } from '@decorum/proto/decorum/fetch/v1/fetch_service_pb.ts';
import type { Renewed } from '../../frontier/renew.ts';
import { msDuration } from '../convert/duration-ms.ts';

/** What Renew needs. */
export type RenewDeps = {
  readonly leaseMs: number;
  readonly renew: (input: {
    readonly workerId: string;
    readonly leaseTokens: readonly string[];
    readonly segmentIds: readonly string[];
  }) => Promise<Renewed>;
};

/** FetchService.Renew. */
export function renew(deps: RenewDeps): MethodImpl<typeof FetchService.method.renew> {
  return async ({ workerId, leaseTokens, segmentIds }) => {
    const { leases, segments, policyVersion } = await deps.renew({ workerId, leaseTokens, segmentIds });
    return {
      leases: leases.map(({ isHeld, revokedRequestIds }) => ({
        status: toStatus(isHeld),
        ...(isHeld && { expiresAfter: msDuration(deps.leaseMs) }),
        revokedRequestIds: [...revokedRequestIds],
      })),
      segments: segments.map(toStatus),
      policyVersion,
    };
  };
}

/** The status of something that is still the worker's, or is not. */
export function toStatus(isHeld: boolean): LeaseStatus {
  return isHeld ? LeaseStatus.HELD : LeaseStatus.STALE;
}
