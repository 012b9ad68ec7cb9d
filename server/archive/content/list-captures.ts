import { decideDelivery } from '@decorum/policy/optout/decide-delivery.ts';
import { canonicalizeUrl } from '@decorum/policy/url/canonicalize-url.ts';
import { urlHash } from '@decorum/policy/url/url-hash.ts';
import { DomainError } from '../../runtime/domain-error.ts';
import { formatPageToken, parsePageToken } from '../../runtime/uuid-page-token.ts';
import type { CaptureRow } from '../../store/capture-row.ts';
import { findCaptures } from '../../store/find-captures.ts';
import { loadCaptures } from '../../store/load-captures.ts';
import { loadRobotsTokens } from '../../store/load-robots-tokens.ts';
import { loadTenant } from '../../store/load-tenant.ts';
import { readAsTenant } from '../../store/read-as-tenant.ts';
import { takeThatFit } from '../../store/take-that-fit.ts';
import type { ContentDeps } from './content-deps.ts';

/** Which of its captures a tenant wants to see. */
export type CaptureQuery = {
  /** Empty: of all URLs. */
  readonly url: string;
  readonly fetchedAfter: Date | undefined;
  readonly fetchedBefore: Date | undefined;
  readonly pageSize: number;
  /** From the page before; empty for the first. */
  readonly pageToken: string;
};

/** A page of captures; an empty token ends the list. */
export type CapturePage = {
  readonly captures: readonly CaptureRow[];
  readonly nextPageToken: string;
  readonly purposes: readonly string[];
};

/**
 * Lists captures that a tenant's results named, the newest first. A page may be shorter than asked for, and is when it
 * would not fit into one answer. Throws `invalid` for a URL or token that is none.
 */
export async function listCaptures(
  { pool }: Pick<ContentDeps, 'pool'>,
  tenantId: string,
  { url, fetchedAfter, fetchedBefore, pageSize, pageToken }: CaptureQuery,
): Promise<CapturePage> {
  const selection = {
    ...{ tenantId, fetchedAfter, fetchedBefore },
    urlHash: url === '' ? undefined : hashOf(url),
    afterCaptureId: parsePageToken(pageToken),
  };
  return readAsTenant(pool, tenantId, async (sql) => {
    const purpose = (await loadTenant(sql, tenantId))?.purpose ?? '';
    const found = await findCaptures(sql, selection, pageSize + 1);
    const page = takeThatFit(found.slice(0, pageSize)).map(({ captureId }) => captureId);
    const captures = await loadCaptures(sql, page);
    return {
      captures: page
        .flatMap((captureId) => captures.get(captureId) ?? [])
        .filter(({ signals }) => decideDelivery(purpose, signals).kind === 'deliver'),
      nextPageToken: page.length < found.length ? formatPageToken(page.at(-1) ?? '') : '',
      purposes: (await loadRobotsTokens(sql)).map((token) => token.purpose),
    };
  });
}

function hashOf(url: string): Uint8Array {
  const canonical = canonicalizeUrl(url);
  if (canonical.ok) return urlHash(canonical.url);
  throw new DomainError({
    kind: 'invalid',
    reason: 'INVALID_URL',
    field: 'url',
    message: 'give an absolute http or https URL',
  });
}
