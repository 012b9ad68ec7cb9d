import { TENANT_COLUMNS, type TenantQuota, type TenantRow } from './load-tenant.ts';
import type { Pool } from './database.ts';
import { withStore } from './transact.ts';

/** A tenant as an operator makes it. */
export type NewTenant = {
  readonly tenantId: string;
  readonly displayName: string;
  readonly purpose: string;
  readonly weight: number;
  readonly bandMax: number;
  readonly quota: TenantQuota;
  /** Empty: none. */
  readonly requestId: string;
};

/** Creates a tenant; undefined when the id is taken by another one. The same request_id answers the same tenant. */
export async function insertTenant(pool: Pool, tenant: NewTenant): Promise<TenantRow | undefined> {
  const { tenantId, displayName, purpose, weight, bandMax, quota } = tenant;
  const requestId = tenant.requestId === '' ? null : tenant.requestId;
  const [inserted] = await withStore(
    () => pool<TenantRow[]>`
      insert into tenant (
        tenant_id, display_name, purpose, weight, band_max, submits_per_second, pending_requests, pending_per_site,
        fetches_per_day, bytes_per_day, concurrent_leases, stored_gb, result_backlog, request_id
      ) values (
        ${tenantId}, ${displayName}, ${purpose}, ${weight}, ${bandMax}, ${quota.submitsPerSecond},
        ${quota.pendingRequests}, ${quota.pendingPerSite}, ${quota.fetchesPerDay}, ${quota.bytesPerDay},
        ${quota.concurrentLeases}, ${quota.storedGb}, ${quota.resultBacklog}, ${requestId}
      )
      on conflict do nothing
      returning ${pool.unsafe(TENANT_COLUMNS)}
    `,
  );
  if (inserted !== undefined || requestId === null) return inserted;
  const [earlier] = await withStore(
    () => pool<TenantRow[]>`
      select ${pool.unsafe(TENANT_COLUMNS)} from tenant where tenant_id = ${tenantId} and request_id = ${requestId}
    `,
  );
  return earlier;
}

/** What of a tenant changes; absent fields stay. */
export type TenantChange = {
  readonly displayName?: string | undefined;
  readonly weight?: number | undefined;
  readonly bandMax?: number | undefined;
  readonly quota?: TenantQuota | undefined;
};

/** Changes a tenant, effective at once; undefined when there is none. */
export async function updateTenant(
  pool: Pool,
  tenantId: string,
  { displayName, weight, bandMax, quota }: TenantChange,
): Promise<TenantRow | undefined> {
  const [row] = await withStore(
    () => pool<TenantRow[]>`
      update tenant set
        display_name = coalesce(${displayName ?? null}, display_name), weight = coalesce(${weight ?? null}::int, weight),
        band_max = coalesce(${bandMax ?? null}::smallint, band_max)
        ${
          quota === undefined
            ? pool``
            : pool`, submits_per_second = ${quota.submitsPerSecond}, pending_requests = ${quota.pendingRequests},
                pending_per_site = ${quota.pendingPerSite}, fetches_per_day = ${quota.fetchesPerDay},
                bytes_per_day = ${quota.bytesPerDay}, concurrent_leases = ${quota.concurrentLeases},
                stored_gb = ${quota.storedGb}, result_backlog = ${quota.resultBacklog}`
        }
      where tenant_id = ${tenantId}
      returning ${pool.unsafe(TENANT_COLUMNS)}
    `,
  );
  return row;
}

/** Suspends a tenant or lifts that; undefined when there is none. Idempotent. */
export async function suspendTenant(
  pool: Pool,
  tenantId: string,
  suspended: boolean,
  reason: string,
): Promise<TenantRow | undefined> {
  const [row] = await withStore(
    () => pool<TenantRow[]>`
      update tenant set
        suspended_at = case when ${suspended} then coalesce(suspended_at, decorum.now()) end,
        suspended_reason = case when ${suspended} then ${reason} end
      where tenant_id = ${tenantId}
      returning ${pool.unsafe(TENANT_COLUMNS)}
    `,
  );
  return row;
}

/** Tenants by id, after `after`, at most `limit`. */
export async function listTenants(pool: Pool, after: string, limit: number): Promise<TenantRow[]> {
  return withStore(
    () => pool<TenantRow[]>`
      select ${pool.unsafe(TENANT_COLUMNS)} from tenant where tenant_id > ${after} order by tenant_id limit ${limit}
    `,
  );
}
