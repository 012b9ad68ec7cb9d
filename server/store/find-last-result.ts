import type { Transaction } from './database.ts';

/** Results of a lane that are looked through, the newest first; results have no index by URL. */
const LOOKED_THROUGH_MAX = 10_000;

/** The request id of a tenant's newest result for a canonical URL, among its latest results; undefined when none is. */
export async function findLastResult(
  sql: Transaction,
  tenantId: string,
  { cell, generation }: { readonly cell: number; readonly generation: number },
  url: string,
): Promise<string | undefined> {
  const [row] = await sql<{ requestId: string }[]>`
    select latest.request_id as "requestId"
    from unnest(array['urgent', 'bulk']) as l(lane)
    cross join lateral (
      (
        select request_id, result_id, url from result
        where tenant_id = ${tenantId} and lane = l.lane and cell = ${cell} and generation = ${generation}
          and number is not null
        order by number desc limit ${LOOKED_THROUGH_MAX}
      ) union all (
        select request_id, result_id, url from result
        where tenant_id = ${tenantId} and lane = l.lane and cell = ${cell} and generation = ${generation}
          and number is null
        order by result_id desc limit ${LOOKED_THROUGH_MAX}
      )
    ) latest
    where latest.url = ${url}
    order by latest.result_id desc limit 1
  `;
  return row?.requestId;
}
