import type { Transaction } from './database.ts';

/** A lease as its worker's report finds it. */
export type LockedLease = {
  readonly leaseId: string;
  readonly workerId: string;
  readonly site: string;
  readonly origin: string;
  readonly address: string;
  readonly slot: number;
  readonly requestIds: readonly string[];
  readonly urls: readonly string[];
  readonly reportedIds: readonly string[];
  readonly leasedAt: Date;
  /** Neither ended nor expired. */
  readonly isHeld: boolean;
  /** Ended by its worker: a repeated report finds its work done. */
  readonly isDone: boolean;
  /** Milliseconds since the epoch by the database's clock, the same for all rows of the statement. */
  readonly nowMs: number;
};

/** Reads leases and keeps their rows until the transaction ends; unknown ones are missing in the answer. */
export async function lockLeases(sql: Transaction, leaseIds: readonly string[]): Promise<LockedLease[]> {
  return sql<LockedLease[]>`
    select lease_id as "leaseId", worker_id as "workerId", site, origin, address, slot, request_ids as "requestIds", urls,
      reported_ids as "reportedIds",
      leased_at as "leasedAt", ended_at is null and expires_at > decorum.now() as "isHeld",
      coalesce(ended_how in ('completed', 'released'), false) as "isDone",
      extract(epoch from decorum.now())::float8 * 1000 as "nowMs"
    from lease where lease_id = any(${leaseIds as string[]})
    order by lease_id for no key update
  `;
}

/** Remembers which items of leases were reported on. */
export async function recordReported(
  sql: Transaction,
  reported: readonly { readonly leaseId: string; readonly requestIds: readonly string[] }[],
): Promise<void> {
  if (reported.length === 0) return;
  await sql`
    update lease l set reported_ids = l.reported_ids || n."requestIds"
    from jsonb_to_recordset(${sql.json(reported)}) as n("leaseId" uuid, "requestIds" uuid[])
    where l.lease_id = n."leaseId"
  `;
}
