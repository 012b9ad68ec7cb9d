import { decideDelivery } from '@decorum/policy/optout/decide-delivery.ts';
import type { Transaction } from '../store/database.ts';
import { findFreshCaptures } from '../store/find-fresh-captures.ts';
import type { NewRequest } from '../store/insert-requests.ts';
import { insertResults, type NewResult } from '../store/insert-results.ts';
import type { Installation } from '../store/load-installation.ts';
import type { TenantRow } from '../store/load-tenant.ts';

/**
 * Answers requests with `max_age` by a young enough capture that policy lets the tenant have. Writes the ANSWERED results
 * and says which requests they ended; the others are fetched.
 */
export async function answerFromArchive(
  sql: Transaction,
  installation: Installation,
  tenant: TenantRow,
  requests: readonly NewRequest[],
): Promise<ReadonlySet<string>> {
  const byId = new Map(requests.map((request) => [request.requestId, request]));
  const captures = await findFreshCaptures(
    sql,
    requests.flatMap(({ requestId, urlHash, maxAgeMs }) =>
      maxAgeMs === null ? [] : [{ requestId, urlHash, maxAgeMs }],
    ),
  );
  const results = captures.flatMap(({ requestId, captureId, fetchedAt, signals }) => {
    const request = byId.get(requestId);
    if (request === undefined || decideDelivery(tenant.purpose, signals).kind !== 'deliver') return [];
    return [toResult(tenant.tenantId, request, captureId, fetchedAt)];
  });
  await insertResults(sql, installation, results);
  return new Set(results.map(({ requestId }) => requestId));
}

function toResult(tenantId: string, request: NewRequest, captureId: string, fetchedAt: Date): NewResult {
  const { requestId, url, reason, band, tier, label, clientRef } = request;
  return {
    ...{ requestId, tenantId, url, reason, band, tier, label, clientRef, captureId, fetchedAt },
    kind: 'ANSWERED',
    outcome: null,
    detail: '',
    finalUrl: url,
    redirects: [],
    attempts: 0,
    document: null,
    coalesced: false,
    submittedAt: null,
    leasedAt: null,
    responseMs: null,
    totalMs: null,
  };
}
