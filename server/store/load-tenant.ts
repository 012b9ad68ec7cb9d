import type { Pool, Transaction } from './database.ts';

/** What decides whether and how a tenant is served. */
export type TenantRow = {
  readonly tenantId: string;
  readonly displayName: string;
  readonly purpose: string;
  readonly weight: number;
  readonly bandMax: number;
  readonly suspendedAt: Date | null;
  readonly suspendedReason: string | null;
  readonly createdAt: Date;
  readonly quota: TenantQuota;
};

/** Limits; null means that no limit is set. */
export type TenantQuota = {
  readonly submitsPerSecond: number | null;
  readonly pendingRequests: number | null;
  readonly pendingPerSite: number | null;
  readonly fetchesPerDay: number | null;
  readonly bytesPerDay: number | null;
  readonly concurrentLeases: number | null;
  readonly storedGb: number | null;
  readonly resultBacklog: number | null;
};

/** The columns of a tenant, for every statement that answers one. */
export const TENANT_COLUMNS = `
  tenant_id as "tenantId", display_name as "displayName", purpose, weight, band_max as "bandMax",
  suspended_at as "suspendedAt", suspended_reason as "suspendedReason", created_at as "createdAt",
  jsonb_build_object('submitsPerSecond', submits_per_second, 'pendingRequests', pending_requests,
    'pendingPerSite', pending_per_site, 'fetchesPerDay', fetches_per_day, 'bytesPerDay', bytes_per_day,
    'concurrentLeases', concurrent_leases, 'storedGb', stored_gb, 'resultBacklog', result_backlog) as quota
`;

/** Reads one tenant; undefined when there is none. */
export async function loadTenant(sql: Transaction | Pool, tenantId: string): Promise<TenantRow | undefined> {
  const [row] = await sql<TenantRow[]>`
    select ${sql.unsafe(TENANT_COLUMNS)} from tenant where tenant_id = ${tenantId}
  `;
  return row;
}
