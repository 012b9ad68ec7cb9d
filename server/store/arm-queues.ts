import type { Transaction } from './database.ts';

/** A queue that gets a request, and when that is due. */
export type ArmedQueue = {
  readonly site: string;
  readonly origin: string;
  readonly band: number;
  readonly dueAt: Date | null;
};

/**
 * Makes sure that queues are looked at when a new request of theirs is due (null: now): always `least`, also when a queue
 * looks armed, and before the request is inserted. A queue that is woken too early finds its time again by itself.
 */
export async function armQueues(
  sql: Transaction,
  tenantId: string,
  queues: readonly ArmedQueue[],
): Promise<void> {
  const rows = sql.json(
    queues.map(({ site, origin, band, dueAt }) => ({
      site,
      origin,
      band,
      due_at: dueAt?.toISOString() ?? null,
    })),
  );
  await sql`
    insert into site_queue (site, tenant_id, band, ready_at)
    select q.site, ${tenantId}, q.band, min(coalesce(q.due_at, decorum.now()))
    from jsonb_to_recordset(${rows}) as q(site text, band smallint, due_at timestamptz)
    group by q.site, q.band order by q.site, q.band
    on conflict (site, tenant_id, band)
      do update set ready_at = least(site_queue.ready_at, excluded.ready_at)
  `;
  await sql`
    insert into origin_queue (site, origin, tenant_id, band, next_due_at)
    select q.site, q.origin, ${tenantId}, q.band, min(coalesce(q.due_at, decorum.now()))
    from jsonb_to_recordset(${rows}) as q(site text, origin text, band smallint, due_at timestamptz)
    group by q.site, q.origin, q.band order by q.site, q.origin, q.band
    on conflict (site, origin, tenant_id, band)
      do update set next_due_at = least(origin_queue.next_due_at, excluded.next_due_at)
  `;
}
