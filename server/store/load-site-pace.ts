import type { Transaction } from './database.ts';

/** How fast a site is fetched. */
export type SitePaceRow = {
  /** From the end of a request to the start of the next. */
  readonly delayMs: number;
  /** From the start of a request to the start of the next at the slowest of the site's addresses. */
  readonly spacingMs: number;
  /** Until the gate opens; 0 when it is open, infinite while a lease holds it. */
  readonly opensInMs: number;
};

/** Reads a site's pace; undefined for a site that nobody has asked for yet. */
export async function loadSitePace(sql: Transaction, site: string): Promise<SitePaceRow | undefined> {
  const [row] = await sql<SitePaceRow[]>`
    select s.delay_ms as "delayMs",
      greatest(0, extract(epoch from s.ready_at) - extract(epoch from decorum.now()))::float8 * 1000 as "opensInMs",
      coalesce((
        select max(a.slot_spacing_ms) from host h join address a on a.address = h.address
        where h.host in (select host from origin where site = s.site)
      ), 0) as "spacingMs"
    from site s where s.site = ${site}
  `;
  return row;
}
