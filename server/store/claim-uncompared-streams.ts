import type { Pool } from './database.ts';
import type { ResultStreamKey } from './result-stream-key.ts';

/**
 * Takes streams that were not compared with the broker's for `afterMs` and that nobody works on, the longest waiting first,
 * until they are given back or the lease is over.
 */
export async function claimUncomparedStreams(
  pool: Pool,
  claim: {
    readonly publisher: string;
    readonly leaseMs: number;
    readonly afterMs: number;
    readonly streamsMax: number;
  },
): Promise<ResultStreamKey[]> {
  return pool<ResultStreamKey[]>`
    with due as (
      select tenant_id, lane, cell, generation from result_stream
      where compared_at <= decorum.now() - make_interval(secs => ${claim.afterMs / 1_000})
        and coalesce(publisher_expires_at <= decorum.now(), true)
      order by compared_at, tenant_id, lane, cell, generation
      limit ${claim.streamsMax}
      for no key update skip locked
    )
    update result_stream s
    set compared_at = decorum.now(), publisher = ${claim.publisher},
      publisher_expires_at = decorum.now() + make_interval(secs => ${claim.leaseMs / 1_000})
    from due
    where s.tenant_id = due.tenant_id and s.lane = due.lane and s.cell = due.cell and s.generation = due.generation
    returning s.tenant_id as "tenantId", s.lane, s.cell, s.generation
  `;
}
