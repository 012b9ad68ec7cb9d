import type { Transaction } from './database.ts';

/** Where a URL is. */
export type Place = {
  readonly site: string;
  readonly host: string;
  readonly origin: string;
  readonly scheme: 'http' | 'https';
  readonly port: number;
};

/**
 * Makes sure that the sites, hosts and origins of URLs exist, and that hosts without a fresh address are on the
 * resolver's list. Sorted by key, in lock order.
 */
export async function insertPlaces(sql: Transaction, places: readonly Place[]): Promise<void> {
  const sites = [...new Set(places.map(({ site }) => site))].sort();
  const hosts = uniqueBy(places, ({ host }) => host);
  const origins = uniqueBy(places, ({ origin }) => origin);
  await sql`insert into site (site) select unnest(${sites}::text[]) on conflict do nothing`;
  await sql`
    insert into host (host, site, resolve_at)
    select h.host, h.site, decorum.now()
    from unnest(${hosts.map(({ host }) => host)}::text[], ${hosts.map(({ site }) => site)}::text[]) as h(host, site)
    on conflict do nothing
  `;
  await sql`
    with waiting as (
      select host from host
      where host = any(${hosts.map(({ host }) => host)}) and resolve_at is null
        and (dial_address is null or expires_at <= decorum.now())
      order by host for no key update
    )
    update host set resolve_at = decorum.now() from waiting where host.host = waiting.host
  `;
  await sql`
    insert into origin (origin, site, host, scheme, port)
    select * from unnest(
      ${origins.map(({ origin }) => origin)}::text[], ${origins.map(({ site }) => site)}::text[],
      ${origins.map(({ host }) => host)}::text[], ${origins.map(({ scheme }) => scheme)}::text[],
      ${origins.map(({ port }) => port)}::int[]
    )
    on conflict do nothing
  `;
}

function uniqueBy(places: readonly Place[], keyOf: (place: Place) => string): Place[] {
  const byKey = new Map(places.map((place) => [keyOf(place), place]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, place]) => place);
}
