/**
 * One lease from its grant to its end.
 *
 * Steps: a segment to append to; robots.txt, when our copy is absent or stale; then each URL in the order given: robots
 * verdict, turn, fetch, store, report. At the end the connection is closed, its `close` seen (M1), before the server is
 * told that the gates are free. When the lease is over before (expired, stale), the socket is destroyed and nothing more
 * is said of it (D3).
 */
import { Outcome } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import type { LeaseItem, RobotsCopy } from '@decorum/proto/decorum/fetch/v1/lease_pb.ts';
import { durationMs, type Duration } from '@bufbuild/protobuf/wkt';
import type { AddressBlocks } from '@decorum/policy/address/address-blocks.ts';
import { siteSignal } from '@decorum/policy/politeness/site-signal.ts';
import { askRobots } from './ask-robots.ts';
import { FetchFailure, toFetchFailure } from './fetch-failure.ts';
import { fetchPage, toFailedAttempt, toUntried } from './fetch-page.ts';
import type { LeaseRun, LeaseRunDeps } from './lease-run.ts';
import type { LocalLease } from './local-lease.ts';
import { createPacer } from './pacer.ts';
import type { EndedAttempt } from './reporter.ts';
import { createRobotsJudge, type RobotsJudge } from './robots-verdict.ts';
import { createSiteConnection } from './site-connection.ts';

/** What a lease's connection may do, beside what its lease says. */
export type ConnectionRules = {
  readonly exemptAddresses: AddressBlocks;
  /** Why no public address may be dialled, if none may. */
  readonly publicRefusal?: string | undefined;
  readonly trustedCertificates?: readonly string[] | undefined;
};

/** Runs a lease to its end. Never rejects: what went wrong is reported, or logged where nothing can be reported. */
export async function runLease(deps: LeaseRunDeps, rules: ConnectionRules, lease: LocalLease): Promise<void> {
  const run = startRun(deps, rules, lease);
  try {
    await workOff(run);
    await run.connection.close();
    await deps.reporter.end(lease, run.pacer.lastEndedAtMs());
  } catch (error) {
    if (error instanceof FetchFailure) deps.logger.warn('a lease was over before its work', {}, error);
    else deps.logger.error('a lease was given up', {}, error);
  } finally {
    await run.connection.close();
    lease.end();
  }
}

function startRun(deps: LeaseRunDeps, rules: ConnectionRules, lease: LocalLease): LeaseRun {
  const { clock, limits } = deps;
  const { scheme, host, port, address, slotSpacing } = lease.lease;
  const connection = createSiteConnection(
    {
      ...rules,
      scheme: scheme === 'https' ? 'https' : 'http',
      ...{ host, port, address },
      connectMs: limits.connectMs,
      headerBytes: limits.headerBytes,
      checkLease: lease.check,
    },
    { clock, limits },
  );
  const pacer = createPacer({
    clock,
    siteDelayMs: lease.siteDelayMs,
    slotSpacingMs: toMs(slotSpacing),
    marginMs: limits.paceMarginMs,
  });
  return { deps, lease, pacer, connection };
}

/**
 * Works the lease off. Rejects with a FetchFailure LEASE_OVER; whatever else stops the work leaves the rest reported as
 * untried.
 */
async function workOff(run: LeaseRun): Promise<void> {
  const { deps, lease } = run;
  const waiting = new Set(lease.lease.items);
  try {
    await prepareSegment(run);
    const robots = await bringRobots(run);
    const judge = createRobotsJudge(robots, deps.identity.productToken);
    for (const item of waiting) {
      const ended = await tryItem(run, judge, robots, item);
      deps.reporter.add(lease, ended);
      waiting.delete(item);
      if (isUnwelcome(ended)) return;
    }
  } catch (error) {
    const failure = toFetchFailure(error);
    if (failure.kind === 'LEASE_OVER') throw failure;
    if (failure.kind === 'NOT_STORED') deps.noteNotStored(lease.lease.residency);
    if (failure.kind !== 'DRAINED') deps.logger.error('a lease is not worked off', {}, failure);
    for (const item of waiting) deps.reporter.add(lease, toUntried(item, failure, deps.clock.monotonicMs()));
  }
}

async function prepareSegment({ deps, lease }: LeaseRun): Promise<void> {
  try {
    await deps.segments.prepare(lease.lease.residency);
  } catch (error) {
    throw new FetchFailure('NOT_STORED', 'there is no segment to append to', error);
  }
}

/** M5: no page is fetched by a copy that is stale; what the server makes of a new one is what counts. */
async function bringRobots(run: LeaseRun): Promise<RobotsCopy | undefined> {
  const copy = run.lease.lease.robots;
  if (copy !== undefined && !copy.stale) return copy;
  return run.deps.reporter.reportRobots(run.lease, await askRobots(run));
}

/**
 * M6: the first bad answer ends the lease; the rest of its URLs wait, untouched, until the server has decided when the site
 * is asked again.
 */
function isUnwelcome({ attempt }: EndedAttempt): boolean {
  const statusCode = attempt.capture?.statusCode ?? 0;
  if (statusCode > 0) return siteSignal(statusCode) === 'THROTTLED' || siteSignal(statusCode) === 'TROUBLED';
  return BROKEN.has(attempt.outcome ?? Outcome.UNSPECIFIED);
}

/** Outcomes without a status that speak of the site and not of one page. */
const BROKEN: ReadonlySet<Outcome> = new Set([
  Outcome.CONNECT_FAILED,
  Outcome.TLS_FAILED,
  Outcome.TIMED_OUT,
  Outcome.RESET,
]);

/** What concerns this URL alone becomes its attempt; what stops the whole lease is thrown on. */
async function tryItem(
  run: LeaseRun,
  judge: RobotsJudge,
  robots: RobotsCopy | undefined,
  item: LeaseItem,
): Promise<EndedAttempt> {
  const { deps, lease } = run;
  lease.check();
  const verdict = judge(item);
  if (verdict.kind === 'refused') {
    const { outcome, detail } = verdict;
    return { attempt: { requestId: item.requestId, outcome, detail }, endedAtMs: deps.clock.monotonicMs() };
  }
  try {
    return await fetchPage(run, { item, verdict, robotsVersion: robots?.version ?? '' });
  } catch (error) {
    const failure = toFetchFailure(error);
    if (failure.kind === 'UNEXPECTED') deps.logger.error('a fetch failed unexpectedly', {}, error);
    if (failure.kind !== 'UNEXPECTED' && failure.kind !== 'REVOKED') throw failure;
    return toFailedAttempt(item, failure, deps.clock.monotonicMs());
  }
}

function toMs(duration: Duration | undefined): number {
  return duration === undefined ? 0 : durationMs(duration);
}
