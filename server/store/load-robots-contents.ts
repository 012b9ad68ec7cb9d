import type { Transaction } from './database.ts';

/** The different robots.txt contents of a site's origins, at most `limit`, by origin. */
export async function loadRobotsContents(
  sql: Transaction,
  site: string,
  limit: number,
): Promise<Uint8Array[]> {
  const rows = await sql<{ content: Uint8Array }[]>`
    select c.content
    from (
      select robots_version as version, min(origin) as origin from origin
      where site = ${site} and robots_version is not null
      group by robots_version order by min(origin) limit ${limit}
    ) o
    join robots_copy c on c.version = o.version
    order by o.origin
  `;
  return rows.map(({ content }) => content);
}
