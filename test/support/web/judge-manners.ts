import { createAllowance, type Allowance } from './judge-allowance.ts';
import { countOverlaps, type Overlaps } from './judge-overlaps.ts';
import { countStartsPerSecond, measureGaps, measureStartRuns } from './judge-pace.ts';
import { createRobotsHistory, originOf, type RobotsHistory } from './judge-robots.ts';
import type { ConnectionEntry, LoopEntry, RequestEntry, WebLogEntry } from './web-log.ts';

const PRODUCT_TOKEN = 'decorumbot';
const SITE_CONNECTIONS_MAX = 1;
const SITE_DELAY_MS = 1_000;
const ADDRESS_SLOTS = 4;
const SLOT_SPACING_MS = 1_000;
const VOID_SHARE_MAX = 0.05;

/** Where the limits differ from the default manners (an override in the platform's words). */
export type MannersRules = {
  productToken?: string;
  sites?: Record<string, { connectionsMax?: number; delayMs?: number }>;
  addresses?: Record<string, { slots?: number; spacingMs?: number }>;
  /** Addresses that only one site uses: a connection there counts for it even when no request names a site. */
  onlySiteAt?: Record<string, string>;
};

/** What was broken: M1, M2, M5 and M6 of design.md, section 3. */
export type ViolationLabel =
  | 'M1 site connections'
  | 'M1 site gap'
  | 'M2 address connections'
  | 'M2 slot spacing'
  | 'M5 robots forbids'
  | 'M5 robots unread'
  | 'M6 crawl delay';

/** One breach. `entries` are the ids of the requests or connections that prove it. */
export type Violation = {
  label: ViolationLabel;
  /** The site or the address. */
  where: string;
  at: number;
  measured: number;
  limit: number;
  entries: number[];
  text: string;
};

/** The referee's verdict on a log. Times are milliseconds; null where nothing was there to measure. */
export type MannersVerdict = {
  /** No violation, and at most 5 % of the time void. */
  ok: boolean;
  violations: Violation[];
  siteConnectionsMax: number;
  addressConnectionsMax: number;
  siteGapMsMin: number | null;
  siteGapMsMinSite: string | null;
  addressStartsPerSecondMax: number;
  /** The least time that one start more than an address has slots ever covered. */
  slotSpacingMsMin: number | null;
  forbiddenFetches: number;
  voidSecondsShare: number;
  /** The largest allowance that was granted. */
  allowanceMsMax: number;
  seconds: number;
  sites: number;
  addresses: number;
  connections: number;
  requests: number;
  bytes: number;
};

/**
 * Judges a log by M1 (one connection a site, its delay between requests), M2 (slots and spacing of an address), M5
 * (robots.txt read before, and obeyed) and M6 (Crawl-delay). A site is the last two labels of a host, since
 * `.test` is no public suffix. Pure; what the log cannot prove, because the web's process was late, is not held
 * against the client.
 */
export function judgeManners(log: readonly WebLogEntry[], rules: MannersRules = {}): MannersVerdict {
  const connections = log.filter((entry): entry is ConnectionEntry => entry.kind === 'connection');
  const requests = log
    .filter((entry): entry is RequestEntry => entry.kind === 'request')
    .toSorted((a, b) => a.startedAt - b.startedAt);
  const allowance = createAllowance(log.filter((entry): entry is LoopEntry => entry.kind === 'loop'));
  const span = spanOf(connections, requests);
  const bySite = Map.groupBy(requests, (request) => siteOf(request.host));
  const byAddress = Map.groupBy(requests, (request) => request.address);
  const robots = createRobotsHistory(requests, rules.productToken ?? PRODUCT_TOKEN);

  const siteOverlaps = judgeSiteConnections(connections, requests, rules, allowance);
  const addressOverlaps = judgeAddressConnections(connections, rules, allowance);
  const gaps = judgeGaps(bySite, rules, robots, allowance, span.to);
  const starts = judgeStarts(byAddress, rules, allowance);
  const robotsViolations = judgeRobots(requests, robots);
  const violations = [siteOverlaps, addressOverlaps, gaps, starts]
    .flatMap((part) => part.violations)
    .concat(robotsViolations)
    .toSorted((a, b) => a.at - b.at);
  const voidSecondsShare = allowance.voidShare(span.from, span.to);
  return {
    ok: violations.length === 0 && voidSecondsShare <= VOID_SHARE_MAX,
    violations,
    siteConnectionsMax: siteOverlaps.max,
    addressConnectionsMax: addressOverlaps.max,
    siteGapMsMin: gaps.min,
    siteGapMsMinSite: gaps.site,
    addressStartsPerSecondMax: starts.perSecondMax,
    slotSpacingMsMin: starts.spacingMin,
    forbiddenFetches: robotsViolations.length,
    voidSecondsShare,
    allowanceMsMax: allowance.maxMs,
    seconds: (span.to - span.from) / 1_000,
    sites: bySite.size,
    addresses: byAddress.size,
    connections: connections.length,
    requests: requests.length,
    bytes: requests.reduce((sum, request) => sum + request.bytes, 0),
  };
}

/** The site of a Host header's value: its last two labels, or the IP literal itself. */
export function siteOf(host: string): string {
  const name = host.replace(/:\d+$/, '').replace(/\.$/, '');
  return /^\[|^[\d.]+$/.test(name) ? name : name.split('.').slice(-2).join('.');
}

function spanOf(connections: ConnectionEntry[], requests: RequestEntry[]): { from: number; to: number } {
  let [from, to] = [Infinity, 0];
  const see = (instant: number | null): void => {
    if (instant === null) return;
    from = Math.min(from, instant);
    to = Math.max(to, instant);
  };
  for (const { acceptedAt, closedAt } of connections) [acceptedAt, closedAt].forEach(see);
  for (const { startedAt, endedAt } of requests) [startedAt, endedAt].forEach(see);
  return { from: Math.min(from, to), to };
}

function judgeSiteConnections(
  connections: ConnectionEntry[],
  requests: RequestEntry[],
  rules: MannersRules,
  allowance: Allowance,
): { max: number; violations: Violation[] } {
  const sitesOf = Map.groupBy(requests, (request) => request.connection);
  const bySite = new Map<string, ConnectionEntry[]>();
  for (const connection of connections) {
    const sites = new Set((sitesOf.get(connection.id) ?? []).map((request) => siteOf(request.host)));
    const onlySite = rules.onlySiteAt?.[connection.address];
    if (onlySite !== undefined) sites.add(onlySite);
    for (const site of sites) {
      const connectionsOfSite = bySite.get(site) ?? [];
      connectionsOfSite.push(connection);
      bySite.set(site, connectionsOfSite);
    }
  }
  return judgeOverlaps('M1 site connections', bySite, (connectionsOfSite, site) =>
    countOverlaps(connectionsOfSite, rules.sites?.[site]?.connectionsMax ?? SITE_CONNECTIONS_MAX, allowance),
  );
}

function judgeAddressConnections(
  connections: ConnectionEntry[],
  rules: MannersRules,
  allowance: Allowance,
): { max: number; violations: Violation[] } {
  const byAddress = Map.groupBy(connections, (connection) => connection.address);
  return judgeOverlaps('M2 address connections', byAddress, (connectionsOfAddress, address) =>
    countOverlaps(connectionsOfAddress, rules.addresses?.[address]?.slots ?? ADDRESS_SLOTS, allowance),
  );
}

function judgeOverlaps(
  label: ViolationLabel,
  groups: Map<string, ConnectionEntry[]>,
  count: (connections: ConnectionEntry[], where: string) => Overlaps,
): { max: number; violations: Violation[] } {
  let max = 0;
  const violations: Violation[] = [];
  for (const [where, connections] of groups) {
    const overlaps = count(connections, where);
    max = Math.max(max, overlaps.max);
    for (const { at, connections: open } of overlaps.excesses) {
      violations.push({
        label,
        where,
        at,
        measured: open.length,
        limit: overlaps.limit,
        entries: open.map((connection) => connection.id),
        text: `${open.length} connections at once`,
      });
    }
  }
  return { max, violations };
}

function judgeGaps(
  bySite: Map<string, RequestEntry[]>,
  rules: MannersRules,
  robots: RobotsHistory,
  allowance: Allowance,
  now: number,
): { min: number | null; site: string | null; violations: Violation[] } {
  let [min, minSite]: [number | null, string | null] = [null, null];
  const violations: Violation[] = [];
  for (const [site, requests] of bySite) {
    const delayMs = rules.sites?.[site]?.delayMs ?? SITE_DELAY_MS;
    const origins = new Set(requests.map(originOf));
    for (const { ms, before, after } of measureGaps(requests, allowance, now)) {
      if (min === null || ms < min) [min, minSite] = [ms, site];
      const crawlDelayMs = Math.max(
        ...[...origins].map((origin) => robots.crawlDelayMs(origin, after.startedAt)),
      );
      const limit = Math.max(delayMs, crawlDelayMs);
      if (ms >= limit) continue;
      const label = ms < delayMs ? 'M1 site gap' : 'M6 crawl delay';
      const text = `${ms.toFixed(1)} ms from the end of ${before.path} to the start of ${after.path}, ${limit} needed`;
      violations.push({
        label,
        where: site,
        at: after.startedAt,
        measured: ms,
        limit,
        entries: [before.id, after.id],
        text,
      });
    }
  }
  return { min, site: minSite, violations };
}

function judgeStarts(
  byAddress: Map<string, RequestEntry[]>,
  rules: MannersRules,
  allowance: Allowance,
): { perSecondMax: number; spacingMin: number | null; violations: Violation[] } {
  let perSecondMax = 0;
  let spacingMin: number | null = null;
  const violations: Violation[] = [];
  for (const [address, requests] of byAddress) {
    const slots = rules.addresses?.[address]?.slots ?? ADDRESS_SLOTS;
    const limit = rules.addresses?.[address]?.spacingMs ?? SLOT_SPACING_MS;
    perSecondMax = Math.max(perSecondMax, countStartsPerSecond(requests, allowance));
    for (const run of measureStartRuns(requests, slots + 1, allowance)) {
      spacingMin = Math.min(spacingMin ?? Infinity, run.ms);
      if (run.ms >= limit) continue;
      violations.push({
        label: 'M2 slot spacing',
        where: address,
        at: run.requests.at(-1)?.startedAt ?? 0,
        measured: run.ms,
        limit,
        entries: run.requests.map((request) => request.id),
        text: `${slots + 1} starts within ${run.ms.toFixed(1)} ms, ${limit} needed`,
      });
    }
  }
  return { perSecondMax, spacingMin, violations };
}

function judgeRobots(requests: RequestEntry[], robots: RobotsHistory): Violation[] {
  const violations: Violation[] = [];
  for (const request of requests) {
    const ruling = robots.rule(request);
    if (ruling.kind === 'allowed') continue;
    const why = ruling.kind === 'unread' ? 'no robots.txt of this origin was read before' : ruling.why;
    violations.push({
      label: ruling.kind === 'unread' ? 'M5 robots unread' : 'M5 robots forbids',
      where: siteOf(request.host),
      at: request.startedAt,
      measured: 1,
      limit: 0,
      entries: [request.id],
      text: `${request.host}${request.path}: ${why}`,
    });
  }
  return violations;
}

/** The verdict as lines for a person, at most `violationsMax` violations spelled out. */
export function describeVerdict(verdict: MannersVerdict, violationsMax = 20): string {
  const ms = (value: number | null): string => (value === null ? '-' : `${value.toFixed(0)} ms`);
  const shown = verdict.violations.slice(0, violationsMax);
  return [
    `${verdict.requests} requests on ${verdict.connections} connections, ${verdict.sites} sites, ${verdict.addresses} addresses, ${verdict.seconds.toFixed(1)} s`,
    `connections at once: site ${verdict.siteConnectionsMax}, address ${verdict.addressConnectionsMax}`,
    `shortest gap of a site: ${ms(verdict.siteGapMsMin)} (${verdict.siteGapMsMinSite ?? '-'})`,
    `most starts a second at an address: ${verdict.addressStartsPerSecondMax}; shortest slot spacing ${ms(verdict.slotSpacingMsMin)}`,
    `forbidden fetches: ${verdict.forbiddenFetches}`,
    `allowance at most ${verdict.allowanceMsMax.toFixed(1)} ms, void ${(verdict.voidSecondsShare * 100).toFixed(1)} %`,
    ...shown.map(
      ({ label, where, at, text }) => `${label}: ${where} at ${(at / 1_000).toFixed(3)} s: ${text}`,
    ),
    ...(verdict.violations.length > shown.length
      ? [`and ${verdict.violations.length - shown.length} more`]
      : []),
  ].join('\n');
}
