import type { Pool } from './database.ts';

/** Milliseconds until the next queue of any tenant is ready; 0 when one is, undefined when none waits for a known time. */
export async function loadNextReadyMs(pool: Pool): Promise<number | undefined> {
  const [row] = await pool<{ ms: number | null }[]>`
    select extract(epoch from min(q.ready_at) - decorum.now())::float8 * 1000 as ms
    from tenant t
    cross join generate_series(0, 7) as b(band)
    cross join lateral (
      select ready_at from site_queue
      where tenant_id = t.tenant_id and band = b.band and ready_at < 'infinity'
      order by ready_at limit 1
    ) q
    where t.suspended_at is null
  `;
  return row?.ms === undefined || row.ms === null ? undefined : Math.max(0, row.ms);
}
