import type { MethodImpl } from '@connectrpc/connect';
import type { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import type { TenantRow } from '../../store/load-tenant.ts';
import { fromTenant, tenantMissing } from './from-tenant.ts';

/** What GetTenant needs. */
export type GetTenantDeps = { readonly loadTenant: (tenantId: string) => Promise<TenantRow | undefined> };

/** TenantService.GetTenant. */
export function getTenant(deps: GetTenantDeps): MethodImpl<typeof TenantService.method.getTenant> {
  return async ({ tenantId }) => {
    const tenant = await deps.loadTenant(tenantId);
    if (tenant === undefined) throw tenantMissing();
    return { tenant: fromTenant(tenant) };
  };
}
