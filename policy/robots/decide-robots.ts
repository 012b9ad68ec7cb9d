import type { Robots, RobotsGroup, RobotsRule } from './parse-robots.ts';
import type { RobotsLine } from './read-robots-lines.ts';
import { largestCrawlDelayS } from './find-crawl-delay.ts';
import { normalizeRobotsPath } from './normalize-robots-path.ts';
import { toProductToken } from './parse-robots.ts';
import { toText } from './read-robots-lines.ts';
import { matchesRobotsPattern } from './robots-pattern.ts';

/** The longest quotation of a robots.txt line, in characters. */
export const QUOTED_LINE_CHARACTERS_MAX = 500;

/** A line of a robots.txt as a verdict names it. */
export interface QuotedRobotsLine {
  /** Counted from 1. */
  readonly number: number;
  /** The line as `toText` shows it, comment included, cut at QUOTED_LINE_CHARACTERS_MAX. */
  readonly text: string;
}

/** May the agent fetch the URL, and what says so. */
export type RobotsVerdict =
  | {
      readonly allowed: true;
      /** The rule that allows it; absent when no rule matches, or it is /robots.txt itself. */
      readonly line?: QuotedRobotsLine;
      /** The name by which the rules spoke to us: our token in lower case, `*`, or nothing. */
      readonly group: string | null;
      /** The largest that the group asks for, in seconds, fractions kept. */
      readonly crawlDelayS?: number;
    }
  | {
      readonly allowed: false;
      /** The rule that forbids it. */
      readonly line: QuotedRobotsLine;
      /** See above. */
      readonly group: string;
      /** See above. */
      readonly crawlDelayS?: number;
    };

/**
 * Decides by RFC 9309 §2.2 whether the crawler with `productToken` may fetch `url` (canonical, as `canonicalizeUrl` gives
 * it): all groups that name the token, else all that name `*`; the longest matching pattern decides, `Allow` among equals;
 * no match allows, and so does being /robots.txt, exactly. Linear in the rules and the URL.
 */
export function decideRobots(input: {
  readonly robots: Robots;
  readonly productToken: string;
  readonly url: string;
}): RobotsVerdict {
  const { robots, url } = input;
  const token = toProductToken(input.productToken);
  return (
    decideByGroupOf(robots, token, url) ?? decideByGroupOf(robots, '*', url) ?? { allowed: true, group: null }
  );
}

/**
 * The same for the groups of exactly one agent: a token in lower case, or `*`. Nothing if no group names it, which is not
 * the same as a group without rules.
 */
export function decideByGroupOf(robots: Robots, agent: string, url: string): RobotsVerdict | undefined {
  const groups = robots.groupsByAgent.get(agent);
  if (groups === undefined) return undefined;

  const path = pathOf(url);
  const rule = path === '/robots.txt' ? undefined : findDecidingRule(groups, normalizeRobotsPath(path));
  const crawlDelayS = largestCrawlDelayS(groups);
  const verdict = {
    group: agent,
    ...(rule === undefined ? {} : { line: quote(rule.line) }),
    ...(crawlDelayS === null ? {} : { crawlDelayS }),
  };
  return rule === undefined || rule.allow
    ? { allowed: true, ...verdict }
    : { allowed: false, ...verdict, line: quote(rule.line) };
}

/** Path and query as octets. A URL may come without a path; a fragment is never compared. */
function pathOf(url: string): string {
  const behindScheme = url.indexOf('://') + '://'.length;
  const start = url.slice(behindScheme).search(/[/?#]/);
  if (start < 0) return '/';
  const path = Buffer.from(url.slice(behindScheme + start).replace(/#.*$/s, ''), 'utf8').toString('latin1');
  return path.startsWith('/') ? path : `/${path}`;
}

function findDecidingRule(groups: readonly RobotsGroup[], path: string): RobotsRule | undefined {
  let best: RobotsRule | undefined;
  // Groups that a Crawl-delay line tells apart share one list of rules.
  for (const rules of new Set(groups.map((group) => group.rules))) {
    for (const rule of rules) {
      if (beats(rule, best) && matchesRobotsPattern(rule.pattern, path)) best = rule;
    }
  }
  return best;
}

function beats(rule: RobotsRule, best: RobotsRule | undefined): boolean {
  if (best === undefined) return true;
  const more = rule.pattern.octets - best.pattern.octets;
  return more > 0 || (more === 0 && rule.allow && !best.allow);
}

function quote(line: RobotsLine): QuotedRobotsLine {
  // Four octets make a character at most; the rest of a long line is not worth decoding.
  const text = toText(line.text.slice(0, 4 * QUOTED_LINE_CHARACTERS_MAX));
  return { number: line.number, text: text.slice(0, QUOTED_LINE_CHARACTERS_MAX).toWellFormed() };
}
