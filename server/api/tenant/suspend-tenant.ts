import type { MethodImpl } from '@connectrpc/connect';
import type { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import type { TenantRow } from '../../store/load-tenant.ts';
import { fromTenant, tenantMissing } from './from-tenant.ts';

/** What SuspendTenant needs. */
export type SuspendTenantDeps = {
  readonly suspendTenant: (
    tenantId: string,
    suspended: boolean,
    reason: string,
  ) => Promise<TenantRow | undefined>;
};

/** TenantService.SuspendTenant. */
export function suspendTenant(
  deps: SuspendTenantDeps,
): MethodImpl<typeof TenantService.method.suspendTenant> {
  return async ({ tenantId, suspended, reason }) => {
    const tenant = await deps.suspendTenant(tenantId, suspended, reason);
    if (tenant === undefined) throw tenantMissing();
    return { tenant: fromTenant(tenant) };
  };
}
