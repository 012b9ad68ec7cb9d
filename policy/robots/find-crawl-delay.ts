import type { Robots, RobotsGroup } from './parse-robots.ts';
import { toProductToken } from './parse-robots.ts';

/** The name under which a purpose can be refused in a robots.txt, beside the product token. */
export interface PurposeToken {
  readonly purpose: string;
  /** Letters, `-` and `_` (RFC 9309 §2.2.1): `decorumbot-ai-train`. */
  readonly token: string;
}

/**
 * Gives the pace that a robots.txt asks of us in seconds, fractions kept, `null` if it asks for none: the largest
 * `Crawl-delay` among the groups that speak to any of our names (the product token's, else those of `*`, and the purpose
 * tokens' own), since the site sees one crawler (M6).
 */
export function findCrawlDelayS(input: {
  readonly robots: Robots;
  readonly productToken: string;
  readonly purposeTokens: readonly PurposeToken[];
}): number | null {
  const { groupsByAgent } = input.robots;
  const groups = groupsByAgent.get(toProductToken(input.productToken)) ?? groupsByAgent.get('*') ?? [];
  const own = input.purposeTokens.flatMap(({ token }) => groupsByAgent.get(toProductToken(token)) ?? []);
  return largestCrawlDelayS([...groups, ...own]);
}

/** Gives the largest `Crawl-delay` of the groups in seconds, `null` if none has one. */
export function largestCrawlDelayS(groups: readonly RobotsGroup[]): number | null {
  let largest: number | null = null;
  for (const { crawlDelayS } of groups) {
    if (crawlDelayS !== null && (largest === null || crawlDelayS > largest)) largest = crawlDelayS;
  }
  return largest;
}
