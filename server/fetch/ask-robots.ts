/**
 * Asks the origin of a lease for its robots.txt, before any page of it (M5). Each request is paced like a page's. Redirects
 * within the origin are followed here, under the gates that the lease has; one that leaves it is reported, since nobody
 * waits for a second gate while holding one. What an answer means is the platform's to decide.
 */
import { durationFromMs } from '@bufbuild/protobuf/wkt';
import { Outcome } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import { cutRobots, ROBOTS_OCTETS_MAX } from '@decorum/policy/robots/cut-robots.ts';
import { decideRobotsAnswer } from '@decorum/policy/robots/decide-robots-answer.ts';
import { parseMaxAge } from '@decorum/policy/robots/parse-max-age.ts';
import { originOf } from '@decorum/policy/url/origin-of.ts';
import { ContentDecodingError } from '../archive/decode-content.ts';
import { decideAnswer, readLocation } from './decide-answer.ts';
import { decodeStart } from './decode-start.ts';
import type { Answer, Exchange } from './exchange.ts';
import { FetchFailure, OUTCOME_OF_FAILURE } from './fetch-failure.ts';
import { fieldValues } from './fields.ts';
import type { LeaseRun } from './lease-run.ts';
import { readRetryAfter } from './read-retry-after.ts';
import type { EndedRobots } from './reporter.ts';
import { buildRequestFields } from './request-head.ts';
import { takeTurn } from './take-turn.ts';

type RobotsFindings = EndedRobots['robots'];

/** What one request of the chain says: what to report, or where to ask next. */
type Step =
  { readonly kind: 'found'; readonly found: EndedRobots } | { readonly kind: 'follow'; readonly url: string };

const NOBODY_REVOKES = new AbortController().signal;

/** Asks and answers what came of it, to be reported; rejects with a FetchFailure when the lease ended before. */
export async function askRobots(run: LeaseRun): Promise<EndedRobots> {
  const { scheme, host, port } = run.lease.lease;
  let asked: [string, ...string[]] = [new URL('/robots.txt', `${scheme}://${host}:${port}`).href];
  for (;;) {
    const [first, ...others] = asked;
    const step = await askOnce(run, asked);
    if (step.kind === 'found') return step.found;
    asked = [first, ...others, step.url];
  }
}

async function askOnce(run: LeaseRun, asked: readonly [string, ...string[]]): Promise<Step> {
  const url = asked.at(-1) ?? asked[0];
  const request = {
    path: url.slice(new URL(url).origin.length),
    fields: buildRequestFields(run.deps.identity, null),
    // One octet more tells that there was more.
    bodyBytesMax: ROBOTS_OCTETS_MAX + 1,
    revocation: NOBODY_REVOKES,
  };
  return takeTurn(run, request, (exchange) => readStep(exchange, asked, run.deps.clock.wallMs()));
}

async function readStep(
  exchange: Exchange,
  asked: readonly [string, ...string[]],
  wallMs: number,
): Promise<Step> {
  const { answer, failure } = exchange;
  if (failure !== null || answer === null) return failed(exchange, failure);
  const location = readLocation(answer.fields);
  const next = decideRobotsAnswer({ status: answer.statusCode, location, asked });
  if (next.kind === 'FOLLOW' && originOf(next.url).origin === originOf(asked[0]).origin) {
    return { kind: 'follow', url: next.url };
  }
  const { outcome } = decideAnswer({ ...answer, url: asked[0], isConditional: false });
  const findings = {
    outcome,
    statusCode: answer.statusCode,
    redirectUrl: next.kind === 'FOLLOW' ? next.url : '',
    detail: next.kind === 'UNAVAILABLE' || next.kind === 'UNREACHABLE' ? next.reason : '',
    ...readTimes(answer, wallMs),
  };
  if (next.kind !== 'READ_BODY') return found(exchange, findings);
  try {
    const { content, truncated } = cutRobots(await decodeStart(answer, ROBOTS_OCTETS_MAX));
    return found(exchange, { ...findings, content, truncated });
  } catch (error) {
    if (!(error instanceof ContentDecodingError)) throw error;
    return failed(exchange, new FetchFailure('MALFORMED_ANSWER', error.message, error));
  }
}

function readTimes({ fields }: Answer, wallMs: number): Pick<RobotsFindings, 'maxAge' | 'retryAfterS'> {
  const maxAgeS = parseMaxAge(fieldValues(fields, 'cache-control'));
  const retryAfterS = readRetryAfter(fields, wallMs);
  return {
    ...(maxAgeS === null ? {} : { maxAge: durationFromMs(Math.min(maxAgeS, MAX_AGE_S_MAX) * 1000) }),
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  };
}

/** A year: what a Duration surely holds and no copy of a robots.txt reaches. */
const MAX_AGE_S_MAX = 31_536_000;

/** Without a status the platform takes the origin for unreachable. Nothing is reported when the lease is over (D3). */
function failed(exchange: Exchange, failure: FetchFailure | null): Step {
  const cause = failure ?? new FetchFailure('UNEXPECTED', 'no answer');
  const outcome = OUTCOME_OF_FAILURE[cause.kind];
  if (outcome === null || outcome === Outcome.NOT_TRIED) throw cause;
  return found(exchange, { outcome, detail: cause.message });
}

function found(exchange: Exchange, findings: RobotsFindings): Step {
  const { responseTimeMs, bytesReceived, bytesSent, endedAtMs } = exchange;
  const robots = {
    ...findings,
    bytesReceived: BigInt(bytesReceived),
    bytesSent: BigInt(bytesSent),
    ...(responseTimeMs === null ? {} : { responseTime: durationFromMs(Math.round(responseTimeMs)) }),
  };
  return { kind: 'found', found: { robots, endedAtMs } };
}
