import type { Transaction } from './database.ts';

/** What is stored of where a URL lies. Instants are milliseconds since the epoch by the database's clock, also infinite. */
export type UrlFacts = {
  readonly nowMs: number;
  /** null where the host was never asked for. */
  readonly hasAddress: boolean | null;
  readonly resolveAtMs: number | null;
  readonly dnsFailures: number | null;
  readonly blockedUntilMs: number | null;
  readonly blockedReason: string | null;
  /** By slot; what is kept for another host is free when that is over. */
  readonly slotsReadyAtMs: readonly number[];
  readonly slotSpacingMs: number | null;
  readonly isParked: boolean;
  readonly robotsUntilMs: number | null;
  readonly robotsReason: string | null;
  /** null: never asked for, or there is none. */
  readonly robotsContent: Uint8Array | null;
  /** null where the site was never asked for. */
  readonly readyAtMs: number | null;
  readonly shutUntilMs: number | null;
  readonly delayMs: number | null;
  readonly backoffMs: number | null;
  readonly parkings: number | null;
};

/** When slot `l` is free for host `h`. */
const FREE_FOR_HOST = 'greatest(l.ready_at, case when l.reserved_host <> h.host then l.reserved_until end)';

/** Reads what is stored of a URL's host, origin, address and site. */
export async function loadUrlFacts(
  sql: Transaction,
  { host, origin, site }: { readonly host: string; readonly origin: string; readonly site: string },
): Promise<UrlFacts> {
  const ms = (column: string) => sql.unsafe(`extract(epoch from ${column})::float8 * 1000`);
  const [row] = await sql<UrlFacts[]>`
    select ${ms('decorum.now()')} as "nowMs",
      case when h.host is not null
        then h.dial_address is not null and h.expires_at > decorum.now() end as "hasAddress",
      ${ms('h.resolve_at')} as "resolveAtMs", h.failures as "dnsFailures",
      ${ms('h.blocked_until')} as "blockedUntilMs", h.blocked_reason as "blockedReason",
      coalesce((
        select array_agg(${ms(FREE_FOR_HOST)} order by slot) from address_slot l where l.address = h.address
      ), '{}') as "slotsReadyAtMs", a.slot_spacing_ms as "slotSpacingMs",
      coalesce(h.parked_on = h.address, false) as "isParked",
      ${ms('decorum.robots_wait(o.robots_answered_at, o.robots_ask_at)')} as "robotsUntilMs",
      o.robots_reason as "robotsReason", c.content as "robotsContent",
      ${ms('s.ready_at')} as "readyAtMs", ${ms('s.shut_until')} as "shutUntilMs", s.delay_ms as "delayMs",
      s.backoff_ms as "backoffMs", s.parkings
    from (select 1) one
    left join host h on h.host = ${host}
    left join origin o on o.origin = ${origin}
    left join site s on s.site = ${site}
    left join address a on a.address = h.address
    left join robots_copy c on c.version = o.robots_version
  `;
  if (row === undefined) throw new Error('a select of one row answered none');
  return row;
}
