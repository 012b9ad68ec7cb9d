import type { QuotedRobotsLine } from './decide-robots.ts';
import type { PurposeToken } from './find-crawl-delay.ts';
import type { Robots } from './parse-robots.ts';
import { decideByGroupOf, decideRobots } from './decide-robots.ts';
import { findCrawlDelayS } from './find-crawl-delay.ts';
import { toProductToken } from './parse-robots.ts';

/** The longest `Crawl-delay` that we keep to, in seconds; a site that asks for more is not fetched at all (M6). */
export const CRAWL_DELAY_S_MAX = 3_600;

/** A purpose for which the robots.txt refuses the URL, and the line that does. */
export interface PurposeRefusal {
  readonly purpose: string;
  readonly line: QuotedRobotsLine;
}

/** What a robots.txt says to all of us about one URL. */
export type RobotsDecision =
  | {
      readonly kind: 'ALLOWED';
      /** The rule that allows it, if one does. */
      readonly line?: QuotedRobotsLine;
      /** The purposes that are refused nevertheless (OPTED_OUT), in the order of the tokens. */
      readonly refusals: readonly PurposeRefusal[];
    }
  | { readonly kind: 'DISALLOWED'; readonly line: QuotedRobotsLine }
  | { readonly kind: 'CRAWL_DELAY_TOO_LONG'; readonly crawlDelayS: number };

/**
 * Decides for the platform with all its names. The group of the product token, else `*`, decides whether the URL may be
 * fetched (what is not ALLOWED ends as ROBOTS_DENIED); the group of a purpose's own token can only take the URL from that
 * purpose, and `*` stands in for none. A pace over CRAWL_DELAY_S_MAX (`findCrawlDelayS`) allows nothing.
 */
export function decideRobotsForPurposes(input: {
  readonly robots: Robots;
  readonly productToken: string;
  readonly purposeTokens: readonly PurposeToken[];
  readonly url: string;
}): RobotsDecision {
  const { robots, purposeTokens, url } = input;
  const verdict = decideRobots(input);
  if (!verdict.allowed) return { kind: 'DISALLOWED', line: verdict.line };

  const crawlDelayS = findCrawlDelayS(input);
  if (crawlDelayS !== null && crawlDelayS > CRAWL_DELAY_S_MAX)
    return { kind: 'CRAWL_DELAY_TOO_LONG', crawlDelayS };

  const refusals = purposeTokens.flatMap(({ purpose, token }) => {
    const own = decideByGroupOf(robots, toProductToken(token), url);
    return own === undefined || own.allowed ? [] : [{ purpose, line: own.line }];
  });
  return { kind: 'ALLOWED', ...(verdict.line && { line: verdict.line }), refusals };
}
