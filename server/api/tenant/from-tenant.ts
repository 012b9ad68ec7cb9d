import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Quota } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import type { TenantQuota, TenantRow } from '../../store/load-tenant.ts';
import { DomainError } from '../../runtime/domain-error.ts';

const LIMITS = [
  'submitsPerSecond',
  'pendingRequests',
  'pendingPerSite',
  'fetchesPerDay',
  'bytesPerDay',
  'concurrentLeases',
  'storedGb',
  'resultBacklog',
] as const;

/** A tenant as the contract shows it. */
export function fromTenant({ tenantId, displayName, purpose, weight, bandMax, quota, ...row }: TenantRow) {
  const limits = LIMITS.flatMap((name) => {
    const limit = quota[name];
    return limit === null ? [] : [[name, BigInt(limit)] as const];
  });
  return {
    ...{ tenantId, displayName, purpose, weight },
    suspended: row.suspendedAt !== null,
    suspendedReason: row.suspendedReason ?? '',
    createdAt: timestampFromDate(row.createdAt),
    quota: { ...Object.fromEntries(limits), bandMax },
  };
}

/** A quota as stored; absent limits are none. */
export function toQuota(quota: Quota | undefined): TenantQuota {
  const limits = LIMITS.map((name) => [name, toLimit(name, quota?.[name])]);
  return Object.fromEntries(limits) as TenantQuota;
}

function toLimit(name: string, limit: bigint | undefined): number | null {
  if (limit === undefined) return null;
  if (limit <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(limit);
  throw new DomainError({
    kind: 'invalid',
    reason: 'LIMIT_TOO_LARGE',
    field: `quota.${name}`,
    message: 'leave the limit out to set none',
  });
}

/** What a call about a tenant that does not exist answers. */
export function tenantMissing(): DomainError {
  return new DomainError({
    kind: 'not_found',
    reason: 'TENANT_NOT_FOUND',
    field: 'tenant_id',
    message: 'there is no such tenant; "npx decorum tenant list" shows those there are',
  });
}
