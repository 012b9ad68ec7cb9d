import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Quota, Tenant } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';

/** A tenant as the commands show it. */
export type TenantView = {
  readonly tenantId: string;
  readonly displayName: string;
  readonly purpose: string;
  readonly weight: number;
  readonly suspended: boolean;
  readonly suspendedReason?: string;
  readonly createdAt?: Date;
  readonly quota: Readonly<Record<string, number>>;
};

/** The message as a plain object. */
export function toTenantView(tenant: Tenant): TenantView {
  return {
    tenantId: tenant.tenantId,
    displayName: tenant.displayName,
    purpose: tenant.purpose,
    weight: tenant.weight,
    suspended: tenant.suspended,
    ...(tenant.suspendedReason !== '' && { suspendedReason: tenant.suspendedReason }),
    ...(tenant.createdAt !== undefined && { createdAt: timestampDate(tenant.createdAt) }),
    quota: toLimits(tenant.quota),
  };
}

/** The view's fields for people. */
export function tenantFields(view: TenantView): Record<string, string | number | undefined> {
  return {
    tenant: view.tenantId,
    name: view.displayName,
    purpose: view.purpose,
    weight: view.weight,
    suspended: view.suspended ? `yes: ${view.suspendedReason ?? ''}` : 'no',
    created: view.createdAt?.toISOString(),
    ...Object.fromEntries(Object.entries(view.quota).map(([name, limit]) => [`quota ${name}`, limit])),
  };
}

function toLimits(quota: Quota | undefined): Record<string, number> {
  if (quota === undefined) return {};
  const limits = Object.entries({
    submitsPerSecond: quota.submitsPerSecond,
    pendingRequests: quota.pendingRequests,
    pendingPerSite: quota.pendingPerSite,
    fetchesPerDay: quota.fetchesPerDay,
    bytesPerDay: quota.bytesPerDay,
    concurrentLeases: quota.concurrentLeases,
    storedGb: quota.storedGb,
    resultBacklog: quota.resultBacklog,
    bandMax: quota.bandMax,
  });
  return Object.fromEntries(
    limits.flatMap(([name, limit]) => (limit === undefined ? [] : [[name, Number(limit)]])),
  );
}
