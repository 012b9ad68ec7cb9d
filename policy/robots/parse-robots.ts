import type { RobotsLine } from './read-robots-lines.ts';
import type { RobotsPattern } from './robots-pattern.ts';
import { readRobotsLines, toText } from './read-robots-lines.ts';
import { parseRobotsPattern } from './robots-pattern.ts';

/**
 * How many rules with a `*` one file may have before we simplify them. Only such a rule costs more than the octets it has
 * in common with a path; a full file of them (500 KiB hold 40,000) would cost each URL a tenth of a second. Beyond it a
 * `Disallow` counts up to its first star, which forbids more, and an `Allow` is left out. Rules without a star have no
 * limit but the size of the file: RFC 9309 §2.5 has us honour what 500 KiB hold.
 */
export const ROBOTS_STAR_RULES_MAX = 5_000;

/** The longest `Crawl-delay` we tell apart, in seconds (three years): whoever writes more means never. */
export const ROBOTS_CRAWL_DELAY_S_MAX = 100_000_000;

/** One `Allow` or `Disallow` line with a pattern. */
export interface RobotsRule {
  readonly allow: boolean;
  readonly pattern: RobotsPattern;
  readonly line: RobotsLine;
}

/** What a run of `User-agent` lines says for the agents it names. */
export interface RobotsGroup {
  /** Shared by the groups that RFC 9309 takes as one and a `Crawl-delay` line tells apart. */
  readonly rules: readonly RobotsRule[];
  /** The largest `Crawl-delay` of the group, in seconds, fractions kept; `null` if it has none. */
  readonly crawlDelayS: number | null;
}

/** A robots.txt as we understand it. */
export interface Robots {
  /** By agent, in lower case, `*` among them: all groups that name it. An agent that is no key is named nowhere. */
  readonly groupsByAgent: ReadonlyMap<string, readonly RobotsGroup[]>;
  /** The values of the `Sitemap` lines as `toText` shows them, each once, in their order; nobody has checked that they are URLs. */
  readonly sitemaps: readonly string[];
  /** Whether the file was longer than ROBOTS_OCTETS_MAX; the tail was not read then. */
  readonly truncated: boolean;
}

/**
 * Parses a robots.txt (RFC 9309 §2.2) in linear time; any bytes are one. A line that is no user-agent line and no rule
 * never ends a run of user-agent lines; a rule before the first of them is ignored. A `Crawl-delay` belongs to the
 * user-agent lines right before it, so that `A` and `B` of a file that lists one delay for each keep their own.
 * Common misspellings of the keys are understood, as site operators find them to be elsewhere.
 */
export function parseRobots(source: Uint8Array | string): Robots {
  const { lines, truncated } = readRobotsLines(source);
  const builder = new GroupBuilder();
  const sitemaps = new Set<string>();
  for (const line of lines) {
    const kind = kindOf(line.key);
    if (kind === 'user-agent') builder.addAgent(line.value ?? '');
    else if (kind === 'allow' || kind === 'disallow') builder.addRule(kind === 'allow', line);
    else if (kind === 'crawl-delay') builder.addCrawlDelay(line.value ?? '');
    else if (kind === 'sitemap' && line.value) sitemaps.add(toText(line.value));
  }
  return { groupsByAgent: builder.groupsByAgent, sitemaps: [...sitemaps], truncated };
}

/**
 * Gives the product token (RFC 9309 §2.2.1) at the start of a name, in lower case: letters, `-` and `_`. What follows, a
 * version say, is not part of it. The empty string if there is none.
 */
export function toProductToken(name: string): string {
  return (/^[A-Za-z_-]*/.exec(name)?.[0] ?? '').toLowerCase();
}

type Kind = 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap';

const KIND_BY_KEY_START: readonly (readonly [start: string, kind: Kind])[] = [
  ['user-agent', 'user-agent'],
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['crawl-delay', 'crawl-delay'],
  ['crawldelay', 'crawl-delay'],
  ['crawl delay', 'crawl-delay'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
];

function kindOf(key: string): Kind | undefined {
  const start = key.slice(0, 16).toLowerCase();
  return KIND_BY_KEY_START.find(([known]) => start.startsWith(known))?.[1];
}

interface OpenGroup extends RobotsGroup {
  readonly rules: RobotsRule[];
  crawlDelayS: number | null;
}

class GroupBuilder {
  readonly groupsByAgent = new Map<string, OpenGroup[]>();
  #group: OpenGroup | undefined;
  /** What came last of that which counts: decides what the next user-agent line begins. */
  #last: 'agent' | 'crawl-delay' | 'rule' = 'agent';
  #starRules = 0;

  addAgent(value: string): void {
    if (this.#group === undefined || this.#last === 'rule') this.#group = { rules: [], crawlDelayS: null };
    else if (this.#last === 'crawl-delay') this.#group = { rules: this.#group.rules, crawlDelayS: null };
    this.#last = 'agent';

    const agent = /^\*(?:[ \t]|$)/.test(value) ? '*' : toProductToken(value);
    if (agent === '') return;
    const groups = this.groupsByAgent.get(agent);
    if (groups === undefined) this.groupsByAgent.set(agent, [this.#group]);
    else if (groups.at(-1) !== this.#group) groups.push(this.#group);
  }

  addRule(allow: boolean, line: RobotsLine): void {
    if (this.#group === undefined) return;
    this.#last = 'rule';
    if (!line.value) return;
    const value = this.#simplify(allow, line.value);
    if (value !== '') this.#group.rules.push({ allow, pattern: parseRobotsPattern(value), line });
  }

  addCrawlDelay(value: string): void {
    const seconds = Number.parseFloat(/^\d*\.?\d+/.exec(value)?.[0] ?? '');
    if (this.#group === undefined || Number.isNaN(seconds)) return;
    this.#last = this.#last === 'rule' ? 'rule' : 'crawl-delay';
    const delayS = Math.min(seconds, ROBOTS_CRAWL_DELAY_S_MAX);
    this.#group.crawlDelayS = Math.max(delayS, this.#group.crawlDelayS ?? 0);
  }

  #simplify(allow: boolean, value: string): string {
    const star = value.indexOf('*');
    if (star < 0) return value;
    this.#starRules += 1;
    if (this.#starRules <= ROBOTS_STAR_RULES_MAX) return value;
    return allow ? '' : value.slice(0, star) || '/';
  }
}
