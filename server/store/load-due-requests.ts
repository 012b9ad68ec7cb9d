import type { Transaction } from './database.ts';

/** A request that is due, with what a worker needs to know. */
export type DueRequest = {
  readonly origin: string;
  readonly requestId: string;
  readonly tenantId: string;
  readonly band: number;
  readonly url: string;
  readonly purpose: string;
  readonly maxBodyBytes: bigint;
  readonly extract: readonly string[];
  readonly hop: number;
  readonly ledFromCaptureId: string | null;
};

/**
 * The due requests of origins over all tenants, oldest first; at most `limit` of each tenant's band. Requests of several
 * tenants for one URL stand there several times.
 */
export async function loadDueRequests(
  sql: Transaction,
  origins: readonly string[],
  limit: number,
): Promise<DueRequest[]> {
  return sql<DueRequest[]>`
    select r.origin, r.request_id as "requestId", r.tenant_id as "tenantId", r.band, r.url, t.purpose,
      r.max_body_bytes as "maxBodyBytes", r.extract, r.hop, r.led_from_capture_id as "ledFromCaptureId"
    from unnest(${origins as string[]}::text[]) as w(origin)
    join origin_queue q on q.origin = w.origin
    join tenant t on t.tenant_id = q.tenant_id and t.suspended_at is null
    cross join lateral (
      select * from request
      where origin = q.origin and tenant_id = q.tenant_id and band = q.band
        and due_at <= decorum.now() and deadline > decorum.now()
      order by due_at limit ${limit}
    ) r
    order by r.origin, r.due_at, r.request_id
  `;
}
