import { createHash } from 'node:crypto';
import type { RobotsState } from '@decorum/policy/robots/robots-state.ts';
import type { Transaction } from './database.ts';

/** An origin's robots.txt as stored; `state` is null before it was asked for the first time. */
export type StoredRobots = { readonly origin: string; readonly state: RobotsState | null };

type Row = {
  origin: string;
  content: Uint8Array | null;
  answeredAtMs: number | null;
  failures: number;
  reason: RobotsState['reason'];
  askAtMs: number | null;
};

/** Reads the robots state of origins. */
export async function loadRobotsStates(
  sql: Transaction,
  origins: readonly string[],
): Promise<StoredRobots[]> {
  if (origins.length === 0) return [];
  const rows = await sql<Row[]>`
    select o.origin, c.content, extract(epoch from o.robots_answered_at)::float8 * 1000 as "answeredAtMs",
      o.robots_failures as failures, o.robots_reason as reason,
      extract(epoch from o.robots_ask_at)::float8 * 1000 as "askAtMs"
    from origin o left join robots_copy c on c.version = o.robots_version
    where o.origin = any(${origins as string[]})
  `;
  return rows.map(({ origin, content, answeredAtMs, failures, reason, askAtMs }) => ({
    origin,
    state:
      askAtMs === null
        ? null
        : { answer: answeredAtMs === null ? null : { content, answeredAtMs }, failures, reason, askAtMs },
  }));
}

/** The name of a robots.txt's content: SHA-256, hex. */
export function robotsVersion(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** What an origin's robots.txt became. */
export type NewRobots = {
  readonly origin: string;
  readonly state: RobotsState;
  readonly crawlDelayMs: number;
};

/** Writes the robots state of origins, contents once each. */
export async function saveRobotsStates(sql: Transaction, robots: readonly NewRobots[]): Promise<void> {
  for (const { origin, state, crawlDelayMs } of [...robots].sort((a, b) => (a.origin < b.origin ? -1 : 1))) {
    const content = state.answer?.content ?? null;
    const version = content === null ? null : robotsVersion(content);
    if (content !== null) {
      await sql`insert into robots_copy (version, content) values (${version}, ${content}) on conflict do nothing`;
    }
    const answeredAtMs = state.answer?.answeredAtMs ?? null;
    await sql`
      update origin set
        robots_version = ${version}, robots_answered_at = to_timestamp(${answeredAtMs}::float8 / 1000.0),
        robots_failures = ${state.failures}, robots_reason = ${state.reason},
        robots_ask_at = to_timestamp(${state.askAtMs}::float8 / 1000.0), crawl_delay_ms = ${crawlDelayMs}
      where origin = ${origin}
    `;
  }
}

/** The largest Crawl-delay among the origins of each site, in milliseconds. */
export async function loadCrawlDelays(
  sql: Transaction,
  sites: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ site: string; crawlDelayMs: number }[]>`
    select site, max(crawl_delay_ms) as "crawlDelayMs" from origin where site = any(${sites as string[]}) group by site
  `;
  return new Map(rows.map(({ site, crawlDelayMs }) => [site, crawlDelayMs]));
}
