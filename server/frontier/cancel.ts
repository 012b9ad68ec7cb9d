import { DomainError } from '../runtime/domain-error.ts';
import type { Pool } from '../store/database.ts';
import { insertResults } from '../store/insert-results.ts';
import { loadInstallation } from '../store/load-installation.ts';
import { lockPolicyShared } from '../store/lock-policy.ts';
import { rearmQueues } from '../store/rearm-queues.ts';
import {
  hasMatchingRequest,
  takeMatchingRequests,
  type RequestSelection,
} from '../store/take-matching-requests.ts';
import { transactAsTenant } from '../store/transact.ts';
import { toEndedResult } from './end-without-attempt.ts';
import { parseSiteName } from './parse-host-name.ts';

/** How many requests one call ends at most. */
export const CANCEL_MAX = 1_000;

/** Which requests, as asked: what is not empty must match. */
export type RequestSelector = {
  readonly requestIds: readonly string[];
  readonly label: string;
  /** A registrable domain. */
  readonly site: string;
};

/** What Cancel stands on. */
export type CancelDeps = {
  readonly pool: Pool;
  /** Tells the publisher that there are results. */
  readonly wake: () => void;
};

/** How many ended, and whether more match. */
export type Cancelled = { readonly cancelled: number; readonly more: boolean };

/**
 * Ends a tenant's pending requests as CANCELLED, one result each (D1), at most CANCEL_MAX a call. One that is being
 * fetched ends too: its lease hears of it when it renews, and what it brings answers the others that wait. Throws
 * `invalid` (SELECTOR_EMPTY) when nothing is selected by.
 *
 * All of it runs as the tenant (T1), the queues included: a tenant's request is waited for by queues of that tenant
 * alone. Requests are locked before queues, as Complete and the deadlines do.
 */
export async function cancelRequests(
  { pool, wake }: CancelDeps,
  tenantId: string,
  selector: RequestSelector,
): Promise<Cancelled> {
  const selection = toSelection(tenantId, selector);
  const answer = await transactAsTenant(pool, tenantId, async (sql) => {
    await lockPolicyShared(sql);
    const taken = await takeMatchingRequests(sql, selection, CANCEL_MAX);
    const results = taken.map((request) =>
      toEndedResult(request, { kind: 'CANCELLED', outcome: null, detail: '' }),
    );
    await insertResults(sql, await loadInstallation(sql), results);
    await rearmQueues(
      sql,
      taken.map(({ site }) => site),
    );
    return { cancelled: taken.length, more: await hasMatchingRequest(sql, selection) };
  });
  if (answer.cancelled > 0) wake();
  return answer;
}

function toSelection(tenantId: string, { requestIds, label, site }: RequestSelector): RequestSelection {
  if (requestIds.length === 0 && label === '' && site === '') {
    throw new DomainError({
      kind: 'invalid',
      reason: 'SELECTOR_EMPTY',
      field: 'selector',
      message: 'select by request_ids, label or site; nothing is cancelled without',
    });
  }
  return {
    tenantId,
    requestIds: requestIds.length === 0 ? undefined : requestIds,
    label: label === '' ? undefined : label,
    site: site === '' ? undefined : parseSiteName('selector.site', site),
  };
}
