import type { RequestEntry } from './web-log.ts';

// The referee's own reading of robots.txt (RFC 9309), written apart from the crawler's so that the two can disagree.
// It judges by what the web actually served: rules bind from the moment the answer that carried them had ended.

const FRESH_MS_MAX = 24 * 3_600_000;
const REDIRECT_HOPS_MAX = 5;

/** What a site's robots.txt says about a path at an instant. */
export type RobotsRuling = { kind: 'allowed' } | { kind: 'forbidden'; why: string } | { kind: 'unread' };

/** All robots.txt answers of a log, by origin. */
export type RobotsHistory = {
  rule(request: RequestEntry): RobotsRuling;
  /** The largest Crawl-delay that an origin's rules in force ask of us; 0 without one. */
  crawlDelayMs(origin: string, at: number): number;
};

/** `text` is null where robots.txt was unreachable. */
type Reading = { at: number; text: string | null };

/** The origin of a request, as its Host header names it. */
export const originOf = (request: RequestEntry): string => `${request.scheme}://${request.host}`;

/** Reads the robots.txt answers of a log, for one product token. */
export function createRobotsHistory(requests: readonly RequestEntry[], productToken: string): RobotsHistory {
  const readings = new Map<string, Reading[]>();
  const hops = new Set<string>();
  for (const request of requests) {
    if (request.path !== '/robots.txt') continue;
    const reading = readAnswer(request, requests, hops);
    if (reading) readings.set(originOf(request), [...(readings.get(originOf(request)) ?? []), reading]);
  }
  const inForce = (origin: string, at: number): Reading | undefined => {
    const past = (readings.get(origin) ?? []).filter((reading) => reading.at <= at);
    const usable = past.filter(({ text, at: readAt }) => text !== null && at - readAt <= FRESH_MS_MAX);
    return usable.at(-1) ?? past.at(-1);
  };
  return {
    rule(request) {
      const url = originOf(request) + request.path;
      if (request.path === '/robots.txt' || hops.has(url)) return { kind: 'allowed' };
      const reading = inForce(originOf(request), request.startedAt);
      if (!reading) return { kind: 'unread' };
      if (reading.text === null) return { kind: 'forbidden', why: 'robots.txt was unreachable' };
      const line = findForbiddingLine(reading.text, request.path, productToken);
      return line === undefined ? { kind: 'allowed' } : { kind: 'forbidden', why: `Disallow: ${line}` };
    },
    crawlDelayMs(origin, at) {
      const text = inForce(origin, at)?.text ?? '';
      return findCrawlDelayMs(text, productToken);
    },
  };
}

/** What a fetch of robots.txt told the crawler, its redirects followed; undefined while it runs. */
function readAnswer(
  first: RequestEntry,
  requests: readonly RequestEntry[],
  hops: Set<string>,
): Reading | undefined {
  let answer = first;
  for (let hop = 0; hop <= REDIRECT_HOPS_MAX; hop++) {
    const { endedAt, status, location, robotsText } = answer;
    if (endedAt === null) return undefined;
    if (!answer.isComplete || status >= 500) return { at: endedAt, text: null };
    if (location === undefined) return { at: endedAt, text: status >= 400 ? '' : (robotsText ?? '') };
    hops.add(location);
    const next = requests.find(
      (request) => originOf(request) + request.path === location && request.startedAt >= endedAt,
    );
    if (!next) return undefined;
    answer = next;
  }
  return { at: answer.endedAt ?? first.startedAt, text: null };
}

type Rule = { allows: boolean; pattern: string };

/** The pattern that forbids a path to a product token: the longest that matches, unless an Allow is as long. */
export function findForbiddingLine(text: string, path: string, productToken: string): string | undefined {
  const matching = readGroup(text, productToken).rules.filter((rule) => matchesPattern(rule.pattern, path));
  let winner: Rule | undefined;
  for (const rule of matching) {
    const length = winner?.pattern.length ?? 0;
    if (rule.pattern.length > length || (rule.pattern.length === length && rule.allows)) winner = rule;
  }
  return winner && !winner.allows ? winner.pattern : undefined;
}

function findCrawlDelayMs(text: string, productToken: string): number {
  return Math.max(0, ...readGroup(text, productToken).crawlDelays) * 1_000;
}

/** RFC 9309 §2.2.1: the groups of our token together, else those of `*`. */
function readGroup(text: string, productToken: string): { rules: Rule[]; crawlDelays: number[] } {
  const groups = new Map<string, { rules: Rule[]; crawlDelays: number[] }>();
  let agents: string[] = [];
  let isNaming = false;
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    const match = /^[ \t]*([A-Za-z-]+)[ \t]*:[ \t]*([^#]*)/.exec(line);
    const field = match?.[1]?.toLowerCase();
    const value = match?.[2]?.trim() ?? '';
    if (field === 'user-agent') {
      if (!isNaming) agents = [];
      isNaming = true;
      agents.push(value === '*' ? '*' : (/^[A-Za-z_-]*/.exec(value)?.[0].toLowerCase() ?? ''));
    }
    if (field === 'allow' || field === 'disallow') isNaming = false;
    for (const agent of agents) {
      const group = groups.get(agent) ?? { rules: [], crawlDelays: [] };
      groups.set(agent, group);
      if ((field === 'allow' || field === 'disallow') && value !== '')
        group.rules.push({ allows: field === 'allow', pattern: value });
      if (field === 'crawl-delay' && /^\d+(\.\d+)?$/.test(value)) group.crawlDelays.push(Number(value));
    }
  }
  return groups.get(productToken.toLowerCase()) ?? groups.get('*') ?? { rules: [], crawlDelays: [] };
}

function matchesPattern(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith('$');
  const [head = '', ...parts] = normalizePath(isAnchored ? pattern.slice(0, -1) : pattern).split('*');
  // A literal star stands in a rule as %2A only, so that is how the path's own is written.
  const text = normalizePath(path).replaceAll('*', '%2A');
  if (!text.startsWith(head)) return false;
  let from = head.length;
  for (const [index, part] of parts.entries()) {
    const isEnd = isAnchored && index === parts.length - 1;
    const found = isEnd ? text.length - part.length : text.indexOf(part, from);
    if (found < from || !text.startsWith(part, found)) return false;
    from = found + part.length;
  }
  return !isAnchored || from === text.length;
}

/** RFC 9309 §2.2.2: octets outside US-ASCII are compared percent-encoded, unreserved ones decoded. */
function normalizePath(path: string): string {
  return path
    .replaceAll('$', '%24')
    .replace(/[^\0-\x7f]+/g, (text) => encodeURIComponent(text))
    .replace(/%[0-9a-fA-F]{2}/g, (escape) => {
      const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
      return /[A-Za-z0-9._~-]/.test(character) ? character : escape.toUpperCase();
    });
}
