import type { MethodImpl } from '@connectrpc/connect';
import type { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import type { TenantRow } from '../../store/load-tenant.ts';
import { fromTenant } from './from-tenant.ts';

/** What ListTenants needs. */
export type ListTenantsDeps = {
  readonly listTenants: (after: string, limit: number) => Promise<readonly TenantRow[]>;
};

const PAGE_SIZE_DEFAULT = 100;

/** TenantService.ListTenants. The page token is the last tenant id seen. */
export function listTenants(deps: ListTenantsDeps): MethodImpl<typeof TenantService.method.listTenants> {
  return async ({ pageSize, pageToken }) => {
    const limit = pageSize === 0 ? PAGE_SIZE_DEFAULT : pageSize;
    const tenants = await deps.listTenants(pageToken, limit);
    const last = tenants.length < limit ? undefined : tenants.at(-1);
    return { tenants: tenants.map(fromTenant), nextPageToken: last?.tenantId ?? '' };
  };
}
