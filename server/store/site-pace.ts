import type { SitePace } from '@decorum/policy/politeness/decide-site-pace.ts';
import type { Transaction } from './database.ts';

/** A site's pace as stored, with the floor that its robots.txt files set. */
export type StoredPace = SitePace & { readonly site: string; readonly crawlDelayMs: number };

/** What a site's pace became. */
export type NewPace = SitePace & {
  readonly site: string;
  readonly crawlDelayMs: number;
  readonly delayMs: number;
  /** When the gate opens at the earliest, milliseconds since the epoch by the database's clock. */
  readonly opensAtMs: number;
};

/** Reads the pace of sites and keeps their rows until the transaction ends. */
export async function lockSites(sql: Transaction, sites: readonly string[]): Promise<StoredPace[]> {
  return sql<StoredPace[]>`
    select site, crawl_delay_ms as "crawlDelayMs", target_delay_ms as "targetDelayMs", backoff_ms as "backoffMs",
      bad_streak as "badStreak", good_streak as "goodStreak", parkings,
      extract(epoch from quiet_since)::float8 * 1000 as "quietSinceMs"
    from site where site = any(${sites as string[]})
    order by site for no key update
  `;
}

/** Writes the pace of sites. The gate itself moves when the lease ends; it never opens before `opensAtMs` (M6). */
export async function savePaces(sql: Transaction, paces: readonly NewPace[]): Promise<void> {
  if (paces.length === 0) return;
  await sql`
    update site s set
      crawl_delay_ms = n."crawlDelayMs", target_delay_ms = n."targetDelayMs", backoff_ms = n."backoffMs",
      bad_streak = n."badStreak", good_streak = n."goodStreak", parkings = n.parkings, delay_ms = ceil(n."delayMs"),
      quiet_since = to_timestamp(n."quietSinceMs" / 1000.0),
      shut_until = greatest(s.shut_until, to_timestamp(n."opensAtMs" / 1000.0))
    from jsonb_to_recordset(${sql.json(paces)}) as n(
      site text, "crawlDelayMs" integer, "targetDelayMs" float8, "backoffMs" float8, "badStreak" integer,
      "goodStreak" integer, parkings integer, "quietSinceMs" float8, "delayMs" float8, "opensAtMs" float8
    )
    where s.site = n.site
  `;
}
