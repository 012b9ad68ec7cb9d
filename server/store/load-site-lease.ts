import type { Pool } from './database.ts';

/**
 * When the lease that holds a site's gate expires, milliseconds since the epoch by the database's clock; null when none
 * does. Read as the platform.
 */
export async function loadSiteLease(pool: Pool, site: string): Promise<number | null> {
  const [row] = await pool<{ expiresAtMs: number }[]>`
    select extract(epoch from expires_at)::float8 * 1000 as "expiresAtMs"
    from lease where ended_at is null and site = ${site}
    order by expires_at desc limit 1
  `;
  return row?.expiresAtMs ?? null;
}
