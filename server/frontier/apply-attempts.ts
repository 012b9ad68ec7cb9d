import { decideDelivery } from '@decorum/policy/optout/decide-delivery.ts';
import { priceLines } from '@decorum/policy/pricing/price-lines.ts';
import { OUTCOME_RULES, type ResultKind } from '@decorum/policy/retry/attempt-table.ts';
import { decideAfterAttempt, type AttemptDecision } from '@decorum/policy/retry/decide-after-attempt.ts';
import { urlHash } from '@decorum/policy/url/url-hash.ts';
import type { Transaction } from '../store/database.ts';
import { endRequests } from '../store/end-requests.ts';
import { insertChargeLines, type NewChargeLine } from '../store/insert-charge-lines.ts';
import { insertResults, type NewResult, type RedirectHop } from '../store/insert-results.ts';
import { insertTransfers } from '../store/insert-transfers.ts';
import type { Installation } from '../store/load-installation.ts';
import { loadWaitingRequests, type WaitingRequest } from '../store/load-waiting-requests.ts';
import { retryRequests } from '../store/retry-requests.ts';
import type { AttemptReport } from './attempt-report.ts';
import type { HeldReport } from './complete.ts';
import { leasedUrl, startedAgoMs } from './to-captures.ts';

/** A request, the attempt that speaks for it, and what follows. */
type Decided = {
  readonly request: WaitingRequest;
  readonly attempt: AttemptReport;
  readonly lease: HeldReport['lease'];
  readonly decision: AttemptDecision;
};

/**
 * Applies attempts to every request that they speak for, over all tenants: one fetch, several results, one split charge.
 * A request that somebody else ended meanwhile is left alone.
 */
export async function applyAttempts(
  sql: Transaction,
  installation: Installation,
  held: readonly HeldReport[],
): Promise<void> {
  const attempts = held.flatMap(({ report, lease }) =>
    report.attempts.flatMap((attempt) => {
      const url = leasedUrl(lease, attempt);
      return url === undefined ? [] : [{ attempt, lease, url }];
    }),
  );
  const waiting = await loadWaitingRequests(
    sql,
    attempts.map(({ attempt, url }, place) => ({
      place,
      requestId: attempt.requestId,
      urlHash: urlHash(url),
      startedAgoMs: startedAgoMs(attempt),
    })),
  );
  const decided = retryTogether(
    waiting.flatMap((request) => {
      const own = attempts[request.place];
      return own === undefined ? [] : [{ request, ...own, decision: decide(request, own.attempt) }];
    }),
  );
  await endDecided(sql, installation, decided);
  await retryRequests(sql, decided.flatMap(toRetry));
  await insertTransfers(sql, decided.flatMap(toTransfer));
}

/** Requests that failed by one attempt come back at one time: the next fetch is again one for all (M3). */
function retryTogether(decided: readonly Decided[]): Decided[] {
  const delays = new Map<AttemptReport, number>();
  for (const { attempt, decision } of decided) {
    if (decision.kind === 'retry') delays.set(attempt, Math.max(delays.get(attempt) ?? 0, decision.delayMs));
  }
  return decided.map((one) =>
    one.decision.kind === 'retry'
      ? { ...one, decision: { ...one.decision, delayMs: delays.get(one.attempt) ?? 0 } }
      : one,
  );
}

function decide(request: WaitingRequest, attempt: AttemptReport): AttemptDecision {
  const decision = decideAfterAttempt({
    outcome: attempt.outcome,
    attempts: request.attempts,
    statusCode: attempt.capture?.statusCode ?? 0,
    hop: request.redirects.length,
    redirectUrl: attempt.redirectUrl,
    chain: [...request.redirects.map(({ url }) => url), request.url],
    jitter: Math.random(),
  });
  if (decision.kind !== 'end' || attempt.capture === undefined) return decision;
  const delivery = decideDelivery(request.purpose, attempt.capture.signals);
  return delivery.kind === 'deliver'
    ? decision
    : { kind: 'end', resultKind: 'OPTED_OUT', detail: delivery.decidedBy.name };
}

async function endDecided(
  sql: Transaction,
  installation: Installation,
  decided: readonly Decided[],
): Promise<void> {
  const ending = decided.filter(({ decision }) => decision.kind === 'end');
  const ended = await endRequests(
    sql,
    ending.map(({ request }) => request.requestId),
  );
  const own = ending.filter(({ request }) => ended.has(request.requestId));
  const shares = new Map<AttemptReport, number>();
  for (const { attempt } of own) shares.set(attempt, (shares.get(attempt) ?? 0) + 1);
  await insertResults(
    sql,
    installation,
    own.map((one) => toResult(one, shares.get(one.attempt) ?? 1)),
  );
  await insertChargeLines(
    sql,
    own.flatMap((one) => toChargeLines(one, shares.get(one.attempt) ?? 1)),
  );
}

function toResult({ request, attempt, lease, decision }: Decided, shareOf: number): NewResult {
  const { capture } = attempt;
  const end = decision as Extract<AttemptDecision, { kind: 'end' }>;
  const { requestId, tenantId, band, reason, tier, label, clientRef, submittedAt } = request;
  return {
    ...{ requestId, tenantId, band, reason, tier, label, clientRef, submittedAt },
    kind: end.resultKind,
    outcome: attempt.outcome,
    detail: end.detail === '' ? attempt.detail : [end.detail, attempt.detail].filter(Boolean).join(': '),
    url: request.askedUrl,
    finalUrl: request.url,
    redirects: request.redirects,
    attempts: request.attempts + (isTried(end.resultKind) ? 1 : 0),
    captureId: end.resultKind === 'OPTED_OUT' ? null : (capture?.captureId ?? null),
    document: attempt.document ?? null,
    coalesced: shareOf > 1,
    leasedAt: lease.leasedAt,
    fetchedAt: capture === undefined ? null : new Date(lease.nowMs - startedAgoMs(attempt)),
    responseMs: attempt.responseMs === undefined ? null : Math.round(attempt.responseMs),
    totalMs: attempt.totalMs === undefined ? null : Math.round(attempt.totalMs),
  };
}

function isTried(kind: ResultKind): boolean {
  return kind !== 'ROBOTS_DENIED' && kind !== 'ADDRESS_FORBIDDEN';
}

function toChargeLines({ request, attempt }: Decided, shareOf: number): NewChargeLine[] {
  if (OUTCOME_RULES[attempt.outcome].billing === null) return [];
  return priceLines({ outcome: attempt.outcome, shareOf }).map((line) => ({
    ...line,
    requestId: request.requestId,
    tenantId: request.tenantId,
    attempt: request.attempts + 1,
    captureId: attempt.capture?.captureId ?? null,
  }));
}

function toRetry({ request, attempt, decision }: Decided) {
  if (decision.kind !== 'retry') return [];
  const { usesAttempt, delayMs } = decision;
  return [
    { requestId: request.requestId, usesAttempt, delayMs, outcome: attempt.outcome, detail: attempt.detail },
  ];
}

function toTransfer({ request, attempt, decision }: Decided) {
  if (decision.kind !== 'redirect') return [];
  const hop: RedirectHop = {
    url: request.url,
    statusCode: attempt.capture?.statusCode ?? 0,
    captureId: attempt.capture?.captureId ?? null,
  };
  return [{ requestId: request.requestId, url: decision.url, redirects: [...request.redirects, hop] }];
}
