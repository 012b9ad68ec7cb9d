/** The longest `Crawl-delay` that a site is crawled under. */
export const CRAWL_DELAY_MS_MAX = 3_600_000;

/** `denied`: the site's URLs end ROBOTS_DENIED with this detail, since it asks for more patience than a crawl has. */
export type CrawlDelayDecision =
  | { readonly kind: 'floor'; readonly crawlDelayMs: number }
  | { readonly kind: 'denied'; readonly detail: 'CRAWL_DELAY_TOO_LONG' };

/** M6: decides what the `Crawl-delay` values of our tokens' groups mean together: the largest is the delay's floor, 0 without any. */
export function decideCrawlDelay(crawlDelaysMs: readonly number[]): CrawlDelayDecision {
  const crawlDelayMs = Math.max(0, ...crawlDelaysMs);
  if (crawlDelayMs > CRAWL_DELAY_MS_MAX) return { kind: 'denied', detail: 'CRAWL_DELAY_TOO_LONG' };
  return { kind: 'floor', crawlDelayMs };
}
