import { SITE_DELAY_MS } from '@decorum/policy/politeness/defaults.ts';
import { parseRobots } from '@decorum/policy/robots/parse-robots.ts';
import { canonicalizeUrl } from '@decorum/policy/url/canonicalize-url.ts';
import { siteOf } from '@decorum/policy/url/site-of.ts';
import { countPending } from '../store/count-pending.ts';
import type { Pool } from '../store/database.ts';
import { loadRobotsContents } from '../store/load-robots-contents.ts';
import { loadSitePace, type SitePaceRow } from '../store/load-site-pace.ts';
import { loadSiteShare } from '../store/load-site-share.ts';
import { transactAsTenant, withStore } from '../store/transact.ts';
import { parseHostName } from './parse-host-name.ts';

/** Different robots.txt files of one site that are read for sitemaps. */
export const SITEMAP_FILES_MAX = 50;

/** Sitemaps that one answer names. */
export const SITEMAPS_MAX = 1_000;

/** A tenant's pending requests of a site are counted up to here. */
export const SITE_PENDING_COUNTED_MAX = 100_000;

/** What helps a tenant to plan its crawl of a site. */
export type SiteHints = {
  readonly site: string;
  /** Canonical URLs from the robots.txt files that were fetched, each once. */
  readonly sitemaps: readonly string[];
  readonly delayMs: number;
  /** How long the tenant's pending requests take at the present pace and share; response times are not in it. */
  readonly drainMs: number;
  readonly pending: number;
};

/**
 * What is known of the site of a host or registrable domain; of one that nobody has asked for, the defaults. Throws
 * `invalid` for what is neither.
 */
export async function getSiteHints(pool: Pool, tenantId: string, hostOrSite: string): Promise<SiteHints> {
  const site = siteOf(parseHostName('site', hostOrSite));
  const share = await withStore(() => loadSiteShare(pool, tenantId, site));
  return transactAsTenant(pool, tenantId, async (sql) => {
    const contents = await loadRobotsContents(sql, site, SITEMAP_FILES_MAX);
    const pace = await loadSitePace(sql, site);
    const pending = await countPending(sql, tenantId, site, SITE_PENDING_COUNTED_MAX);
    return {
      ...{ site, pending },
      sitemaps: findSitemaps(contents),
      delayMs: pace?.delayMs ?? SITE_DELAY_MS,
      drainMs: pace === undefined ? 0 : drainMs(pending, share, pace),
    };
  });
}

/** The absolute http and https URLs among the `Sitemap` lines. */
function findSitemaps(contents: readonly Uint8Array[]): string[] {
  const found = new Set<string>();
  for (const sitemap of contents.flatMap((content) => parseRobots(content).sitemaps)) {
    const canonical = canonicalizeUrl(sitemap);
    if (canonical.ok) found.add(canonical.url);
    if (found.size === SITEMAPS_MAX) break;
  }
  return [...found];
}

/** The first goes when the gate opens, or at the end of the lease that holds it; each other one a delay after the last. */
function drainMs(pending: number, share: number, { delayMs, spacingMs, opensInMs }: SitePaceRow): number {
  if (pending === 0) return 0;
  const turns = Math.ceil(pending / share) - 1;
  return turns * Math.max(delayMs, spacingMs) + (Number.isFinite(opensInMs) ? opensInMs : 0);
}
