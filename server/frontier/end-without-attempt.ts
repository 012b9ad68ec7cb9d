import type { Outcome, ResultKind } from '@decorum/policy/retry/attempt-table.ts';
import type { Transaction } from '../store/database.ts';
import { endRequests } from '../store/end-requests.ts';
import { insertResults, type NewResult } from '../store/insert-results.ts';
import type { Installation } from '../store/load-installation.ts';
import type { WaitingRequest } from '../store/load-waiting-requests.ts';

/** How requests end that no attempt ended. */
export type Ending = { readonly kind: ResultKind; readonly outcome: Outcome | null; readonly detail: string };

/** Ends pending requests without an attempt: one result each, nothing to bill. Those that are gone are left alone (D1). */
export async function endWithoutAttempt(
  sql: Transaction,
  installation: Installation,
  requests: readonly WaitingRequest[],
  ending: Ending,
): Promise<void> {
  const ended = await endRequests(
    sql,
    requests.map(({ requestId }) => requestId),
  );
  const own = requests.filter(({ requestId }) => ended.has(requestId));
  await insertResults(
    sql,
    installation,
    own.map((request) => toEndedResult(request, ending)),
  );
}

/** The result of a request that ends as `ending` says. */
export function toEndedResult(request: WaitingRequest, ending: Ending): NewResult {
  const { requestId, tenantId, band, reason, tier, label, clientRef, submittedAt, redirects, attempts } =
    request;
  return {
    ...{ requestId, tenantId, band, reason, tier, label, clientRef, submittedAt, redirects, attempts },
    ...ending,
    url: request.askedUrl,
    finalUrl: request.url,
    captureId: null,
    document: null,
    coalesced: false,
    leasedAt: null,
    fetchedAt: null,
    responseMs: null,
    totalMs: null,
  };
}
