import type { Pool } from './database.ts';

/** Where a request stands, or one would that was submitted now. */
export type QueuePlace = {
  readonly tenantId: string;
  readonly site: string;
  readonly band: number;
  /** null: as one that is submitted now. */
  readonly requestId: string | null;
};

/**
 * How many requests of the site are served before the one at `place`, counted up to `max`: those of its tenant with a
 * higher band or, in its own, an earlier time; and of each other tenant as many as its weight lets go meanwhile (T3). Read
 * as the platform; what leaves is this number.
 */
export async function countRequestsAhead(pool: Pool, place: QueuePlace, max: number): Promise<number> {
  const { tenantId, site, band, requestId } = place;
  const [row] = await pool<{ ahead: number }[]>`
    with mine as (
      select t.weight, coalesce(greatest(r.due_at, decorum.now()), decorum.now()) as horizon,
        coalesce(r.due_at, decorum.now()) as due_at
      from tenant t left join request r on r.request_id = ${requestId}::uuid
      where t.tenant_id = ${tenantId}
    ), own as (
      select count(*) as count from (
        select 1 from mine, request r
        where r.origin in (select origin from origin where site = ${site}) and r.tenant_id = ${tenantId}
          and r.due_at <= mine.horizon and r.request_id is distinct from ${requestId}::uuid
          and (r.band > ${band}::int or r.band = ${band}::int and (
            r.due_at < mine.due_at
            or r.due_at = mine.due_at and (${requestId}::uuid is null or r.request_id < ${requestId}::uuid)
          ))
        limit ${max}
      ) counted
    ), others as (
      select coalesce(sum(c.count), 0) as count
      from mine, own, tenant t
      cross join lateral (
        select count(*) as count from (
          select 1 from request r
          where r.origin in (select origin from origin where site = ${site}) and r.tenant_id = t.tenant_id
            and r.due_at <= mine.horizon
          limit least(${max}::int, ceil((own.count + 1) * t.weight / mine.weight::float8))
        ) counted
      ) c
      where t.tenant_id <> ${tenantId} and t.suspended_at is null
        and exists (select from site_queue q where q.site = ${site} and q.tenant_id = t.tenant_id)
    )
    select least(${max}::int, own.count + others.count)::int as ahead from own, others
  `;
  return row?.ahead ?? 0;
}
