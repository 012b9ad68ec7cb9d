import type { MethodImpl } from '@connectrpc/connect';
import type { FetchService } from '@decorum/proto/decorum/fetch/v1/fetch_service_pb.ts';
import { DomainError } from '../../runtime/domain-error.ts';
import { durationMs } from '../convert/duration-ms.ts';
import { toStatus } from './renew.ts';

/** What Release needs. */
export type ReleaseDeps = {
  readonly release: (leaseToken: string, idleMs: number | undefined) => Promise<boolean>;
};

/** FetchService.Release. `gate_only` needs an archive that is written later than the gates are given back: S3. */
export function release(deps: ReleaseDeps): MethodImpl<typeof FetchService.method.release> {
  return async ({ leaseToken, gateOnly, idle }) => {
    if (gateOnly) {
      throw new DomainError({
        kind: 'not_built',
        reason: 'NOT_BUILT_YET',
        field: 'gate_only',
        message: 'gates are given back with the lease; call without gate_only after Complete',
      });
    }
    return { status: toStatus(await deps.release(leaseToken, durationMs(idle))) };
  };
}
