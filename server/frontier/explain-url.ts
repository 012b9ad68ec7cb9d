/**
 * ExplainUrl: where a URL is for a tenant, what it waits for, and how long. Reads the tenant's own rows and the shared
 * places as the tenant (T1), and as the platform three things of which it tells a number or a yes: whether the URL is
 * being fetched, when the site's lease expires, and how many are ahead. Between these reads things move on.
 */
import type { AddressBlocks } from '@decorum/policy/address/address-blocks.ts';
import { decideRobotsForPurposes } from '@decorum/policy/robots/decide-robots-for-purposes.ts';
import type { PurposeToken } from '@decorum/policy/robots/find-crawl-delay.ts';
import { parseRobots } from '@decorum/policy/robots/parse-robots.ts';
import { canonicalizeUrl } from '@decorum/policy/url/canonicalize-url.ts';
import { classifyUrl, type ClassifiedUrl, type UnclassifiedUrl } from '@decorum/policy/url/classify-url.ts';
import { originOf } from '@decorum/policy/url/origin-of.ts';
import { siteOf } from '@decorum/policy/url/site-of.ts';
import { countRequestsAhead } from '../store/count-requests-ahead.ts';
import type { Pool } from '../store/database.ts';
import { findLastCaptured } from '../store/find-last-captured.ts';
import { findLastResult } from '../store/find-last-result.ts';
import { findPendingRequest, type TriedRequest } from '../store/find-pending-request.ts';
import { loadInstallation } from '../store/load-installation.ts';
import { loadLeasedUrls } from '../store/load-leased-urls.ts';
import { loadRobotsTokens } from '../store/load-robots-tokens.ts';
import { loadSiteLease } from '../store/load-site-lease.ts';
import { loadTenant, type TenantRow } from '../store/load-tenant.ts';
import { loadUrlFacts, type UrlFacts } from '../store/load-url-facts.ts';
import type { PendingRequest } from '../store/pending-request.ts';
import { readAsTenant } from '../store/read-as-tenant.ts';
import { withStore } from '../store/transact.ts';
import { BAND_DEFAULT } from './decide-submit.ts';
import { decideWaits, estimateWaitMs, type Wait, type WaitFacts } from './decide-waits.ts';

/** Requests ahead are counted up to here. */
export const AHEAD_COUNTED_MAX = 10_000;

/** What ExplainUrl stands on. */
export type ExplainDeps = {
  readonly pool: Pool;
  readonly productToken: string;
  readonly lockDelayMs: number;
  /** Addresses that pass as public; tests only. */
  readonly exempt: AddressBlocks | undefined;
};

/** What there is to say about a URL. */
export type UrlExplanation = {
  /** Empty for a text that is no URL; so is `site`. */
  readonly canonicalUrl: string;
  readonly site: string;
  /** Why Submit would refuse it. */
  readonly refusal: UnclassifiedUrl['reason'] | undefined;
  /** More about the refusal, or what robots.txt will make of it. */
  readonly detail: string;
  readonly request: PendingRequest | undefined;
  readonly waits: readonly Wait[];
  readonly requestsAhead: number;
  readonly estimatedWaitMs: number | undefined;
  readonly lastResultRequestId: string | undefined;
  readonly lastCapturedAt: Date | undefined;
};

/**
 * Explains a URL. Without a pending request the waits are those of one that is submitted now. A request that a redirect
 * led on is found under the URL where it is.
 */
export async function explainUrl(deps: ExplainDeps, tenantId: string, url: string): Promise<UrlExplanation> {
  const classified = classifyUrl(url, { exempt: deps.exempt });
  if (!classified.ok) return explainRefusal(url, classified);
  const own = await loadOwn(deps.pool, tenantId, classified);
  const { lastResultRequestId, lastCapturedAt, request } = own;
  const facts = await loadWaitFacts(deps, tenantId, classified, own);
  const waits = decideWaits(facts);
  return {
    canonicalUrl: classified.url,
    site: classified.site,
    refusal: undefined,
    detail: explainRobots(deps.productToken, classified.url, own),
    ...{ request, waits, lastResultRequestId, lastCapturedAt },
    requestsAhead: facts.ahead,
    estimatedWaitMs: estimateWaitMs(facts, waits),
  };
}

function explainRefusal(url: string, { reason, detail }: UnclassifiedUrl): UrlExplanation {
  const canonical = canonicalizeUrl(url);
  return {
    canonicalUrl: canonical.ok ? canonical.url : '',
    site: canonical.ok ? siteOf(originOf(canonical.url).host) : '',
    ...{ refusal: reason, detail, request: undefined, waits: [], requestsAhead: 0 },
    ...{ estimatedWaitMs: undefined, lastResultRequestId: undefined, lastCapturedAt: undefined },
  };
}

/** What the tenant may read itself. */
type Own = {
  readonly tenant: TenantRow;
  readonly request: TriedRequest | undefined;
  readonly place: UrlFacts;
  readonly purposeTokens: readonly PurposeToken[];
  readonly lastResultRequestId: string | undefined;
  readonly lastCapturedAt: Date | undefined;
};

async function loadOwn(pool: Pool, tenantId: string, classified: ClassifiedUrl): Promise<Own> {
  const { url, urlHash, host, origin, site } = classified;
  const leased = await withStore(() => loadLeasedUrls(pool, tenantId));
  const leasedUrls = leased.filter((other) => other === url);
  return readAsTenant(pool, tenantId, async (sql) => {
    const tenant = await loadTenant(sql, tenantId);
    if (tenant === undefined) throw new Error('an authenticated tenant has no row');
    return {
      tenant,
      request: await findPendingRequest(sql, tenantId, urlHash, leasedUrls),
      place: await loadUrlFacts(sql, { host, origin: origin.origin, site }),
      purposeTokens: await loadRobotsTokens(sql),
      lastResultRequestId: await findLastResult(sql, tenantId, await loadInstallation(sql), url),
      lastCapturedAt: await findLastCaptured(sql, tenantId, urlHash),
    };
  });
}

async function loadWaitFacts(
  { pool, lockDelayMs }: ExplainDeps,
  tenantId: string,
  { site }: ClassifiedUrl,
  { tenant, request, place }: Own,
): Promise<WaitFacts> {
  const isQueued = request === undefined || (request.state !== 'LEASED' && request.dueAt !== null);
  const { band = BAND_DEFAULT, requestId = null } = request ?? {};
  return {
    nowMs: place.nowMs,
    suspended: tenant.suspendedAt === null ? null : (tenant.suspendedReason ?? ''),
    request: request && {
      isLeased: request.state === 'LEASED',
      dueAtMs: request.dueAt?.getTime() ?? Infinity,
      attempts: request.attempts,
      lastOutcome: request.lastOutcome,
    },
    host: toHostFacts(place),
    site: toSiteFacts(place, await withStore(() => loadSiteLease(pool, site))),
    lockDelayMs,
    ahead: isQueued
      ? await withStore(() =>
          countRequestsAhead(pool, { tenantId, site, band, requestId }, AHEAD_COUNTED_MAX),
        )
      : 0,
  };
}

function toHostFacts({ hasAddress, dnsFailures, slotSpacingMs, ...place }: UrlFacts): WaitFacts['host'] {
  if (hasAddress === null) return undefined;
  return { ...place, hasAddress, dnsFailures: dnsFailures ?? 0, slotSpacingMs: slotSpacingMs ?? 0 };
}

function toSiteFacts(place: UrlFacts, leaseExpiresAtMs: number | null): WaitFacts['site'] {
  const { readyAtMs, shutUntilMs, delayMs, backoffMs, parkings } = place;
  if (readyAtMs === null) return undefined;
  return {
    ...{ readyAtMs, leaseExpiresAtMs },
    shutUntilMs: shutUntilMs ?? -Infinity,
    delayMs: delayMs ?? 0,
    backoffMs: backoffMs ?? 0,
    parkings: parkings ?? 0,
  };
}

function explainRobots(productToken: string, url: string, { tenant, place, purposeTokens }: Own): string {
  if (place.robotsContent === null || place.robotsUntilMs !== null) return '';
  const robots = parseRobots(place.robotsContent);
  const decision = decideRobotsForPurposes({ robots, productToken, purposeTokens, url });
  switch (decision.kind) {
    case 'DISALLOWED':
      return `robots.txt forbids it, line ${decision.line.number}: ${decision.line.text}`;
    case 'CRAWL_DELAY_TOO_LONG':
      return `robots.txt forbids it: its Crawl-delay of ${decision.crawlDelayS} s is longer than we wait`;
    case 'ALLOWED': {
      const refused = decision.refusals.find(({ purpose }) => purpose === tenant.purpose);
      if (refused === undefined) return '';
      return `robots.txt refuses it to ${refused.purpose}, line ${refused.line.number}: ${refused.line.text}`;
    }
  }
}
