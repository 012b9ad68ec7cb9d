/** One URL of a lease: what is reported of it, and what was stored. */
import { durationFromMs } from '@bufbuild/protobuf/wkt';
import { Outcome } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import type { LeaseItem } from '@decorum/proto/decorum/fetch/v1/lease_pb.ts';
import { decideAnswer } from './decide-answer.ts';
import type { Answer, Exchange } from './exchange.ts';
import { extractDocument } from './extract-document.ts';
import { OUTCOME_OF_FAILURE, type FetchFailure } from './fetch-failure.ts';
import type { LeaseRun } from './lease-run.ts';
import { readRetryAfter } from './read-retry-after.ts';
import { readSignals } from './read-signals.ts';
import type { EndedAttempt } from './reporter.ts';
import { buildRequestFields } from './request-head.ts';
import type { RobotsVerdict } from './robots-verdict.ts';
import { canRevisit, storeCapture } from './store-capture.ts';
import { takeTurn } from './take-turn.ts';

/** What robots.txt said about the URL, with the version that said it. */
export type AllowedPage = {
  readonly item: LeaseItem;
  readonly verdict: Extract<RobotsVerdict, { kind: 'allowed' }>;
  readonly robotsVersion: string;
};

/**
 * Fetches a page at the lease's next turn, stores what came and answers what is to be reported. Rejects with a
 * FetchFailure when nothing was: the turn never came, or the lease ended meanwhile.
 */
export async function fetchPage(run: LeaseRun, page: AllowedPage): Promise<EndedAttempt> {
  const { item } = page;
  const { deps, lease } = run;
  const validators = canRevisit(item) ? (item.validators ?? null) : null;
  const fields = buildRequestFields(deps.identity, validators);
  const isConditional = fields.some(([name]) => name === 'If-None-Match' || name === 'If-Modified-Since');
  const request = {
    path: item.url.slice(new URL(item.url).origin.length),
    fields,
    bodyBytesMax: Math.min(Number(item.maxBodyBytes), deps.limits.bodyBytes),
    revocation: lease.revocationOf(item.requestId),
  };
  return takeTurn(run, request, (exchange) => describeAttempt(run, { ...page, isConditional }, exchange));
}

type AskedPage = AllowedPage & { readonly isConditional: boolean };

async function describeAttempt(run: LeaseRun, page: AskedPage, exchange: Exchange): Promise<EndedAttempt> {
  const { answer, requestHead, failure } = exchange;
  run.lease.check();
  const failedAs = failure === null ? undefined : OUTCOME_OF_FAILURE[failure.kind];
  if (failure !== null && failedAs === null) throw failure;
  const base = { requestId: page.item.requestId, detail: failure?.message ?? '', ...measure(exchange) };
  if (answer === null || requestHead === null) {
    const outcome = failedAs ?? Outcome.PROTOCOL_ERROR;
    return { attempt: { ...base, outcome }, endedAtMs: exchange.endedAtMs };
  }
  const capture = await store(run, page, { ...exchange, answer, requestHead });
  const decision = decideAnswer({ ...answer, url: page.item.url, isConditional: page.isConditional });
  const retryAfterS = readRetryAfter(answer.fields, run.deps.clock.wallMs());
  const isPage = failure === null && decision.outcome === Outcome.FETCHED;
  const document = isPage ? await extractDocument(answer, page.item) : null;
  const attempt = {
    ...base,
    outcome: failedAs ?? decision.outcome,
    capture,
    redirectUrl: failedAs === undefined ? decision.redirectUrl : '',
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
    ...(document === null ? {} : { document }),
  };
  return { attempt, endedAtMs: exchange.endedAtMs };
}

type AnsweredExchange = Exchange & { readonly answer: Answer; readonly requestHead: Uint8Array };

async function store(
  { deps, lease }: LeaseRun,
  { item, verdict, robotsVersion, isConditional }: AskedPage,
  exchange: AnsweredExchange,
): ReturnType<typeof storeCapture> {
  const signals = [...verdict.signals, ...(await readSignals(exchange.answer, deps.identity.productToken))];
  const capture = await storeCapture(deps.segments, exchange, {
    ...{ lease, item, isConditional, robotsVersion, signals },
    robotsLine: verdict.line,
    userAgent: deps.identity.userAgent,
  });
  // L1: what was taken back meanwhile is not reported; the records are orphans.
  lease.revocationOf(item.requestId).throwIfAborted();
  lease.check();
  return capture;
}

function measure(exchange: Exchange) {
  const { responseTimeMs, totalTimeMs, bytesReceived, bytesSent } = exchange;
  return {
    ...(responseTimeMs === null ? {} : { responseTime: durationFromMs(Math.round(responseTimeMs)) }),
    totalTime: durationFromMs(Math.round(totalTimeMs)),
    bytesReceived: BigInt(bytesReceived),
    bytesSent: BigInt(bytesSent),
  };
}

/** The attempt at a URL whose turn never came, because its lease stopped being worked off. */
export function toUntried(
  { requestId }: LeaseItem,
  { message }: FetchFailure,
  endedAtMs: number,
): EndedAttempt {
  return { attempt: { requestId, outcome: Outcome.NOT_TRIED, detail: message }, endedAtMs };
}

/** The attempt at a URL that failed on its own. */
export function toFailedAttempt(
  { requestId }: LeaseItem,
  failure: FetchFailure,
  endedAtMs: number,
): EndedAttempt {
  const outcome = OUTCOME_OF_FAILURE[failure.kind] ?? Outcome.NOT_TRIED;
  return { attempt: { requestId, outcome, detail: failure.message }, endedAtMs };
}
