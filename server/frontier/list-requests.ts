import { DomainError } from '../runtime/domain-error.ts';
import { formatPageToken, parsePageToken } from '../runtime/uuid-page-token.ts';
import type { Pool } from '../store/database.ts';
import { findPendingRequests } from '../store/find-pending-requests.ts';
import { loadLeasedUrls } from '../store/load-leased-urls.ts';
import type { PendingRequest, PendingState } from '../store/pending-request.ts';
import { transactAsTenant, withStore } from '../store/transact.ts';
import { parseHostName, parseSiteName } from './parse-host-name.ts';

/** Which requests a tenant wants to see: what is neither empty nor undefined must match. */
export type RequestQuery = {
  readonly site: string;
  readonly host: string;
  /** In the contract's words. */
  readonly state: string | undefined;
  readonly band: number | undefined;
  readonly label: string;
  readonly pageSize: number;
  /** From the page before; empty for the first. */
  readonly pageToken: string;
};

/** A page of pending requests; an empty token ends the list. */
export type RequestPage = {
  readonly requests: readonly PendingRequest[];
  readonly nextPageToken: string;
};

/**
 * Lists a tenant's pending requests in the order of their ids, so that a page starts where the one before ended whatever
 * comes and goes between. Throws `invalid` for a host, site, state or token that is none.
 */
export async function listRequests(pool: Pool, tenantId: string, query: RequestQuery): Promise<RequestPage> {
  const { band, pageSize } = query;
  const selection = {
    ...{ tenantId, band },
    site: query.site === '' ? undefined : parseSiteName('site', query.site),
    host: query.host === '' ? undefined : parseHostName('host', query.host),
    state: parseState(query.state),
    label: query.label === '' ? undefined : query.label,
    afterRequestId: parsePageToken(query.pageToken),
  };
  const leasedUrls = await withStore(() => loadLeasedUrls(pool, tenantId));
  const found = await transactAsTenant(pool, tenantId, (sql) =>
    findPendingRequests(sql, selection, leasedUrls, pageSize + 1),
  );
  const requests = found.slice(0, pageSize);
  const last = requests.at(-1);
  return {
    requests,
    nextPageToken:
      found.length > requests.length && last !== undefined ? formatPageToken(last.requestId) : '',
  };
}

function parseState(state: string | undefined): PendingState | undefined {
  switch (state) {
    case undefined:
    case 'RESOLVING':
    case 'WAITING':
    case 'LEASED':
      return state;
    default:
      throw new DomainError({
        kind: 'invalid',
        reason: 'INVALID_STATE',
        field: 'state',
        message: 'give RESOLVING, WAITING or LEASED; a request that has ended is a result: ask for that',
      });
  }
}
