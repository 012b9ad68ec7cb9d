import type { Transaction } from './database.ts';

/** A request that is due, with what a worker needs to know. */
export type DueRequest = {
  readonly origin: string;
  readonly requestId: string;
  readonly url: string;
  readonly purpose: string;
  readonly maxBodyBytes: bigint;
  readonly extract: readonly string[];
  readonly hop: number;
  readonly ledFromCaptureId: string | null;
};

/**
 * The due requests of origins over all tenants, tenants in turn, higher bands and earlier ones first within a tenant; at
 * most `limit` an origin. Requests of several tenants for one URL stand there several times.
 */
export async function loadDueRequests(
  sql: Transaction,
  origins: readonly string[],
  limit: number,
): Promise<DueRequest[]> {
  return sql<DueRequest[]>`
    with due as (
      select r.*, t.purpose,
        row_number() over (partition by r.origin, r.tenant_id order by r.band desc, r.due_at, r.request_id) as turn
      from unnest(${origins as string[]}::text[]) as w(origin)
      join origin_queue q on q.origin = w.origin
      join tenant t on t.tenant_id = q.tenant_id and t.suspended_at is null
      cross join lateral (
        select * from request
        where origin = q.origin and tenant_id = q.tenant_id and band = q.band
          and due_at <= decorum.now() and deadline > decorum.now()
        order by due_at limit ${limit}
      ) r
    ), ranked as (
      select due.*, row_number() over (partition by origin order by turn, tenant_id) as place from due
    )
    select origin, request_id as "requestId", url, purpose, max_body_bytes as "maxBodyBytes", extract, hop,
      led_from_capture_id as "ledFromCaptureId"
    from ranked where place <= ${limit}
    order by origin, place
  `;
}
