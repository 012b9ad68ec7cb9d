import type { Transaction } from './database.ts';

/** A lease that was renewed, and those of its requests that ended meanwhile. */
export type RenewedLease = { readonly leaseId: string; readonly revokedRequestIds: readonly string[] };

/** Prolongs the worker's leases that still run; the others are missing in the answer. */
export async function renewLeases(
  sql: Transaction,
  workerId: string,
  leaseIds: readonly string[],
  leaseMs: number,
): Promise<RenewedLease[]> {
  return sql<RenewedLease[]>`
    with renewed as (
      update lease set expires_at = decorum.now() + make_interval(secs => ${leaseMs / 1_000})
      where lease_id = any(${leaseIds as string[]}) and worker_id = ${workerId}
        and ended_at is null and expires_at > decorum.now()
      returning lease_id, request_ids, urls
    )
    select r.lease_id as "leaseId", coalesce(
      array_agg(i.request_id) filter (where i.request_id is not null and q.request_id is null), '{}'
    ) as "revokedRequestIds"
    from renewed r
    left join lateral unnest(r.request_ids) as i(request_id) on true
    left join request q on q.request_id = i.request_id
    group by r.lease_id
  `;
}
