import type { MethodImpl } from '@connectrpc/connect';
import type { FetchService } from '@decorum/proto/decorum/fetch/v1/fetch_service_pb.ts';
import { SEGMENT_LIMITS } from '../../archive/decide-segment-close.ts';
import { msDuration } from '../convert/duration-ms.ts';
import { toStatus } from './renew.ts';

/** What OpenSegment and CloseSegment need. */
export type SegmentDeps = {
  readonly leaseMs: number;
  readonly openSegment: (workerId: string, residency: string) => Promise<string>;
  readonly closeSegment: (workerId: string, segmentId: string, bytes: bigint) => Promise<boolean>;
};

/** FetchService.OpenSegment. */
export function openSegment(deps: SegmentDeps): MethodImpl<typeof FetchService.method.openSegment> {
  return async ({ workerId, residency }) => ({
    segmentId: await deps.openSegment(workerId, residency),
    expiresAfter: msDuration(deps.leaseMs),
    maxBytes: BigInt(SEGMENT_LIMITS.bytesMax),
    maxAge: msDuration(SEGMENT_LIMITS.ageMsMax),
  });
}

/** FetchService.CloseSegment. */
export function closeSegment(deps: SegmentDeps): MethodImpl<typeof FetchService.method.closeSegment> {
  return async ({ workerId, segmentId, bytes }) => ({
    status: toStatus(await deps.closeSegment(workerId, segmentId, bytes)),
  });
}
