import type { Pool, Transaction } from './database.ts';

/** Gives a worker a new segment to append to, under a lease that it renews. */
export async function openSegment(
  pool: Pool,
  segment: {
    readonly segmentId: string;
    readonly workerId: string;
    readonly residency: string;
    readonly leaseMs: number;
  },
): Promise<void> {
  await pool`
    insert into segment (segment_id, residency, worker_id, state, opened_at, expires_at)
    values (${segment.segmentId}, ${segment.residency}, ${segment.workerId}, 'open', decorum.now(),
      decorum.now() + make_interval(secs => ${segment.leaseMs / 1_000}))
  `;
}

/** Prolongs the worker's open segments; answers those that are still its own. */
export async function renewSegments(
  sql: Transaction,
  workerId: string,
  segmentIds: readonly string[],
  leaseMs: number,
): Promise<ReadonlySet<string>> {
  if (segmentIds.length === 0) return new Set();
  const rows = await sql<{ segmentId: string }[]>`
    update segment set expires_at = decorum.now() + make_interval(secs => ${leaseMs / 1_000})
    where segment_id = any(${segmentIds as string[]}) and worker_id = ${workerId} and state = 'open'
      and expires_at > decorum.now()
    returning segment_id as "segmentId"
  `;
  return new Set(rows.map(({ segmentId }) => segmentId));
}

/** Closes a worker's segment; false when it is not its own any more, so that its takeover closes it. Idempotent. */
export async function closeSegment(
  pool: Pool,
  workerId: string,
  segmentId: string,
  bytes: bigint,
): Promise<boolean> {
  const rows = await pool`
    update segment set state = 'closed', bytes = ${bytes}, closed_at = coalesce(closed_at, decorum.now())
    where segment_id = ${segmentId} and worker_id = ${workerId}
      and case state when 'open' then expires_at > decorum.now() else bytes = ${bytes} end
    returning 1
  `;
  return rows.length > 0;
}
