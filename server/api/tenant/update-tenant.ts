import type { MethodImpl } from '@connectrpc/connect';
import type { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import { BAND_MAX } from '../../frontier/decide-submit.ts';
import type { TenantRow } from '../../store/load-tenant.ts';
import type { TenantChange } from '../../store/tenants.ts';
import { fromTenant, tenantMissing, toQuota } from './from-tenant.ts';

/** What UpdateTenant needs. */
export type UpdateTenantDeps = {
  readonly updateTenant: (tenantId: string, change: TenantChange) => Promise<TenantRow | undefined>;
};

/** TenantService.UpdateTenant. */
export function updateTenant(deps: UpdateTenantDeps): MethodImpl<typeof TenantService.method.updateTenant> {
  return async ({ tenantId, displayName, weight, quota }) => {
    const tenant = await deps.updateTenant(tenantId, {
      displayName,
      weight,
      ...(quota && { quota: toQuota(quota), bandMax: quota.bandMax ?? BAND_MAX }),
    });
    if (tenant === undefined) throw tenantMissing();
    return { tenant: fromTenant(tenant) };
  };
}
