import { countPending } from '../store/count-pending.ts';
import type { Pool } from '../store/database.ts';
import { loadTenant, type TenantQuota, type TenantRow } from '../store/load-tenant.ts';
import { transactAsTenant } from '../store/transact.ts';

/** Pending requests are counted up to here; who has more reads this number. */
export const PENDING_COUNTED_MAX = 1_000_000;

/** One limit of a tenant; `limit` is null where none is set. */
export type QuotaLimit = { readonly name: string; readonly limit: number | null; readonly used: number };

/** What a tenant may do, and what of it is in use. */
export type QuotaState = Pick<TenantRow, 'tenantId' | 'purpose' | 'weight' | 'bandMax'> & {
  readonly limits: readonly QuotaLimit[];
};

const NAMES: Readonly<Record<keyof TenantQuota, string>> = {
  submitsPerSecond: 'submits_per_second',
  pendingRequests: 'pending_requests',
  pendingPerSite: 'pending_per_site',
  fetchesPerDay: 'fetches_per_day',
  bytesPerDay: 'bytes_per_day',
  concurrentLeases: 'concurrent_leases',
  storedGb: 'stored_gb',
  resultBacklog: 'result_backlog',
};

/**
 * A tenant's limits: pending requests with their count, set or not; the others where they are set, without one: they are
 * rates, or kept per site.
 */
export async function getQuota(pool: Pool, tenantId: string): Promise<QuotaState> {
  return transactAsTenant(pool, tenantId, async (sql) => {
    const tenant = await loadTenant(sql, tenantId);
    if (tenant === undefined) throw new Error('an authenticated tenant has no row');
    const pending = await countPending(sql, tenantId, undefined, PENDING_COUNTED_MAX);
    const { purpose, weight, bandMax, quota } = tenant;
    return { tenantId, purpose, weight, bandMax, limits: toLimits(quota, pending) };
  });
}

function toLimits(quota: TenantQuota, pending: number): QuotaLimit[] {
  return Object.entries(NAMES).flatMap(([key, name]) => {
    const limit = quota[key as keyof TenantQuota];
    if (key === 'pendingRequests') return [{ name, limit, used: pending }];
    return limit === null ? [] : [{ name, limit, used: 0 }];
  });
}
