import type { MethodImpl } from '@connectrpc/connect';
import type { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import { BAND_MAX } from '../../frontier/decide-submit.ts';
import { DomainError } from '../../runtime/domain-error.ts';
import type { TenantRow } from '../../store/load-tenant.ts';
import type { NewTenant } from '../../store/tenants.ts';
import { fromTenant, toQuota } from './from-tenant.ts';
import type { ListPurposesDeps } from './list-purposes.ts';

/** What CreateTenant needs. */
export type CreateTenantDeps = ListPurposesDeps & {
  /** Undefined: the id is taken. */
  readonly createTenant: (tenant: NewTenant) => Promise<TenantRow | undefined>;
};

/** Names the platform's own account on the broker. */
const RESERVED = 'platform';

/** TenantService.CreateTenant. */
export function createTenant(deps: CreateTenantDeps): MethodImpl<typeof TenantService.method.createTenant> {
  return async ({ tenantId, displayName, purpose, weight, quota, requestId }, { signal }) => {
    if (tenantId === RESERVED) throw reserved();
    const purposes = await deps.listPurposes(signal);
    if (!purposes.some(({ code }) => code === purpose)) {
      throw new DomainError({
        kind: 'invalid',
        reason: 'PURPOSE_UNKNOWN',
        field: 'purpose',
        message: `choose one of ${purposes.map(({ code }) => code).join(', ')}`,
      });
    }
    const tenant = await deps.createTenant({
      ...{ tenantId, displayName, purpose, requestId },
      weight: weight ?? 1,
      bandMax: quota?.bandMax ?? BAND_MAX,
      quota: toQuota(quota),
    });
    if (tenant !== undefined) return { tenant: fromTenant(tenant) };
    throw new DomainError({
      kind: 'already_exists',
      reason: 'TENANT_EXISTS',
      field: 'tenant_id',
      message: 'a tenant of this id exists; choose another, or update it',
    });
  };
}

function reserved(): DomainError {
  return new DomainError({
    kind: 'invalid',
    reason: 'TENANT_RESERVED',
    field: 'tenant_id',
    message: `"${RESERVED}" names the platform itself; choose another`,
  });
}
