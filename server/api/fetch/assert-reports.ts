import { Outcome } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import type { LeaseReport } from '@decorum/proto/decorum/fetch/v1/fetch_service_pb.ts';
import { parseLeaseToken } from '../../frontier/lease-token.ts';
import { DomainError } from '../../runtime/domain-error.ts';

/**
 * Holds the reports of one Complete to what no rule of a single field can say: each lease is named once, each request
 * once in a report, and an attempt that got an answer has the capture of it (D2). Throws `invalid` at the first that
 * isn't so: DUPLICATE_LEASE, DUPLICATE_REQUEST or CAPTURE_MISSING.
 */
export function assertReports(reports: readonly LeaseReport[]): void {
  const leases = new Set<string>();
  for (const [place, { leaseToken, attempts }] of reports.entries()) {
    const path = `reports[${place}]`;
    if (!isNew(leases, parseLeaseToken(leaseToken)?.leaseId ?? leaseToken)) {
      throw invalid(
        'DUPLICATE_LEASE',
        `${path}.lease_token`,
        'report a lease once in a call, with all of its attempts',
      );
    }
    assertAttempts(attempts, path);
  }
}

function assertAttempts(attempts: LeaseReport['attempts'], path: string): void {
  const requests = new Set<string>();
  for (const [place, { requestId, outcome, capture }] of attempts.entries()) {
    const at = `${path}.attempts[${place}]`;
    if (!isNew(requests, requestId.toLowerCase())) {
      throw invalid('DUPLICATE_REQUEST', `${at}.request_id`, 'a lease tries a request once');
    }
    if (capture === undefined && ANSWERED.has(outcome)) {
      throw invalid('CAPTURE_MISSING', `${at}.capture`, 'an answer is reported with the capture of it');
    }
  }
}

/** The outcomes of an exchange that brought an answer, which is stored before it is reported. */
const ANSWERED: ReadonlySet<Outcome> = new Set([
  Outcome.FETCHED,
  Outcome.NOT_MODIFIED,
  Outcome.REDIRECTED,
  Outcome.HTTP_RETRYABLE,
]);

function isNew(seen: Set<string>, name: string): boolean {
  const isNamed = seen.has(name);
  seen.add(name);
  return !isNamed;
}

function invalid(reason: string, field: string, message: string): DomainError {
  return new DomainError({ kind: 'invalid', reason, field, message });
}
