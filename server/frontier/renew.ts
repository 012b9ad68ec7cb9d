import type { Pool } from '../store/database.ts';
import { loadInstallation } from '../store/load-installation.ts';
import { renewLeases } from '../store/renew-leases.ts';
import { renewSegments } from '../store/segments.ts';
import { transact } from '../store/transact.ts';
import { parseLeaseToken } from './lease-token.ts';

/** What a worker holds and wants to keep. */
export type RenewInput = {
  readonly workerId: string;
  readonly leaseTokens: readonly string[];
  readonly segmentIds: readonly string[];
  readonly leaseMs: number;
};

/** What it still holds. */
export type Renewed = {
  /** One per token, in order. */
  readonly leases: readonly { readonly isHeld: boolean; readonly revokedRequestIds: readonly string[] }[];
  /** One per segment, in order: still the worker's? */
  readonly segments: readonly boolean[];
  readonly policyVersion: bigint;
};

/** Prolongs leases and segments of a worker; tells which are stale, and which requests of a lease have ended. */
export async function renew(pool: Pool, input: RenewInput): Promise<Renewed> {
  return transact(pool, async (sql) => {
    const { generation, policyVersion } = await loadInstallation(sql);
    const ids = input.leaseTokens.map((text) => {
      const token = parseLeaseToken(text);
      return token?.generation === generation ? token.leaseId : undefined;
    });
    const renewed = await renewLeases(
      sql,
      input.workerId,
      ids.filter((id) => id !== undefined),
      input.leaseMs,
    );
    const byId = new Map(renewed.map((lease) => [lease.leaseId, lease]));
    const segments = await renewSegments(sql, input.workerId, input.segmentIds, input.leaseMs);
    return {
      leases: ids.map((id) => {
        const lease = byId.get(id ?? '');
        return { isHeld: lease !== undefined, revokedRequestIds: lease?.revokedRequestIds ?? [] };
      }),
      segments: input.segmentIds.map((id) => segments.has(id)),
      policyVersion,
    };
  });
}
