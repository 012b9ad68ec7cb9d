import type { Pool } from './database.ts';
import type { ResultLane, ResultStreamKey } from './result-stream-key.ts';

/** Which streams a publisher takes. */
export type StreamClaim = {
  readonly lane: ResultLane;
  readonly publisher: string;
  readonly leaseMs: number;
  readonly streamsMax: number;
  /** Also streams whose results are numbered and only wait for the broker. */
  readonly withUnpublished: boolean;
};

/**
 * Takes streams of a lane that have work and that nobody works on, the longest untouched first, each for one batch: until
 * it is given back or the lease is over. A stream of which no row exists yet is made. One statement, whatever the number of
 * tenants; unnumbered rows are found by skipping through their index from stream to stream.
 */
export async function claimResultStreams(pool: Pool, claim: StreamClaim): Promise<ResultStreamKey[]> {
  return pool<ResultStreamKey[]>`
    with recursive fresh as (
      (
        select tenant_id, cell, generation from result where number is null and lane = ${claim.lane}
        order by tenant_id, cell, generation limit 1
      )
      union all
      select n.tenant_id, n.cell, n.generation
      from fresh f cross join lateral (
        select r.tenant_id, r.cell, r.generation from result r
        where r.number is null and r.lane = ${claim.lane}
          and (r.tenant_id, r.cell, r.generation) > (f.tenant_id, f.cell, f.generation)
        order by r.tenant_id, r.cell, r.generation limit 1
      ) n
    ),
    made as (
      insert into result_stream (tenant_id, lane, cell, generation, publisher, publisher_expires_at)
      select f.tenant_id, ${claim.lane}, f.cell, f.generation, ${claim.publisher}, n.lease_end
      from fresh f cross join (select decorum.now() + make_interval(secs => ${claim.leaseMs / 1_000}) as lease_end) n
      where not exists (
        select from result_stream s
        where s.tenant_id = f.tenant_id and s.lane = ${claim.lane} and s.cell = f.cell and s.generation = f.generation
      )
      order by 1, 3, 4
      limit ${claim.streamsMax}
      on conflict do nothing
      returning tenant_id, lane, cell, generation
    ),
    free as (
      select s.tenant_id, s.lane, s.cell, s.generation from result_stream s
      where s.lane = ${claim.lane} and coalesce(s.publisher_expires_at <= decorum.now(), true)
        and (
          (${claim.withUnpublished} and s.published_through < s.numbered_through)
          or (s.tenant_id, s.cell, s.generation) in (select tenant_id, cell, generation from fresh)
        )
      order by s.publisher_expires_at nulls first, s.tenant_id, s.cell, s.generation
      limit ${claim.streamsMax}
      for no key update skip locked
    ),
    taken as (
      update result_stream s
      set publisher = ${claim.publisher},
        publisher_expires_at = decorum.now() + make_interval(secs => ${claim.leaseMs / 1_000})
      from free
      where s.tenant_id = free.tenant_id and s.lane = free.lane and s.cell = free.cell
        and s.generation = free.generation
      returning s.tenant_id, s.lane, s.cell, s.generation
    )
    select tenant_id as "tenantId", lane, cell, generation from made
    union all
    select tenant_id, lane, cell, generation from taken
  `;
}
