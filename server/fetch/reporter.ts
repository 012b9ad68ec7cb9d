/**
 * Tells the server what became of leased requests: gathers attempts over all leases of the worker for a moment, then sends
 * one Complete at a time. What a lease waits for (the verdict on its robots.txt, its end) goes out at once, with everything
 * that is waiting.
 *
 * A Complete that fails is sent again, the same again, since it is idempotent, for as long as one of its leases is held;
 * reports of a lease that is over are dropped, because its token is stale (D3). Nothing is reported before it is durable
 * (D2): callers come here last.
 */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { durationFromMs, durationMs } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type Client } from '@connectrpc/connect';
import type { AttemptSchema, RobotsAttemptSchema } from '@decorum/proto/decorum/fetch/v1/attempt_pb.ts';
import {
  LeaseStatus,
  type CompletedLease,
  type FetchService,
  type LeaseReportSchema,
} from '@decorum/proto/decorum/fetch/v1/fetch_service_pb.ts';
import type { RobotsCopy } from '@decorum/proto/decorum/fetch/v1/lease_pb.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { LocalLease } from './local-lease.ts';

/** An attempt, with its end on the monotonic clock: how long ago it was is known when it is sent. */
export type EndedAttempt = {
  readonly attempt: Omit<MessageInitShape<typeof AttemptSchema>, 'endedAgo' | '$typeName' | '$unknown'>;
  readonly endedAtMs: number;
};

/** The same for a robots.txt. */
export type EndedRobots = {
  readonly robots: Omit<MessageInitShape<typeof RobotsAttemptSchema>, 'endedAgo' | '$typeName' | '$unknown'>;
  readonly endedAtMs: number;
};

/** The one that talks about leases. Disposing of it sends what is waiting. */
export type Reporter = AsyncDisposable & {
  /** Takes an attempt to be reported soon. */
  readonly add: (lease: LocalLease, attempt: EndedAttempt) => void;
  /** Reports a robots.txt and answers the copy that follows from it; rejects with a FetchFailure when the lease is over. */
  readonly reportRobots: (lease: LocalLease, robots: EndedRobots) => Promise<RobotsCopy | undefined>;
  /**
   * Ends the lease with what is waiting of it; `lastEndedAtMs` is when its last request ended, null if there was none.
   * Resolves when the server knows, or the lease is over anyway.
   */
  readonly end: (lease: LocalLease, lastEndedAtMs: number | null) => Promise<void>;
};

/** What a reporter works with. */
export type ReporterDeps = {
  readonly client: Pick<Client<typeof FetchService>, 'complete'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly delayMs: number;
  readonly callMs: number;
  /** Once aborted, what cannot be sent at the next try is dropped. */
  readonly giveUp: AbortSignal;
};

/** Reports of one Complete: what the contract allows. (Its 20 attempts of one report are the URLs of one lease.) */
const REPORTS_MAX = 100;

const RETRY_MS = 500;

type Report = {
  readonly lease: LocalLease;
  readonly attempts: EndedAttempt[];
  robots: EndedRobots | null;
  end: { readonly lastEndedAtMs: number | null } | null;
  readonly waiters: PromiseWithResolvers<RobotsCopy | undefined>[];
};

/** Makes a reporter with nothing to say. */
export function createReporter(deps: ReporterDeps): Reporter {
  let pending = new Map<LocalLease, Report>();
  let timer: NodeJS.Timeout | null = null;
  let sending: Promise<void> | null = null;

  function reportOf(lease: LocalLease): Report {
    const report = pending.get(lease) ?? { lease, attempts: [], robots: null, end: null, waiters: [] };
    pending.set(lease, report);
    return report;
  }

  async function sendPending(): Promise<void> {
    while (pending.size > 0) {
      const reports = [...pending.values()];
      pending = new Map();
      for (let at = 0; at < reports.length; at += REPORTS_MAX) {
        await sendReports(deps, reports.slice(at, at + REPORTS_MAX));
      }
    }
  }

  async function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    sending ??= sendPending().finally(() => {
      sending = null;
      // What came after the last look.
      if (pending.size > 0) void flush();
    });
    return sending;
  }

  function wait(report: Report): Promise<RobotsCopy | undefined> {
    const waiter = Promise.withResolvers<RobotsCopy | undefined>();
    report.waiters.push(waiter);
    // What is ready in this turn of the event loop goes along.
    setImmediate(() => void flush());
    return waiter.promise;
  }

  return {
    add(lease, attempt) {
      reportOf(lease).attempts.push(attempt);
      timer ??= setTimeout(() => void flush(), deps.delayMs);
    },
    async reportRobots(lease, robots) {
      const report = reportOf(lease);
      report.robots = robots;
      const copy = await wait(report);
      lease.check();
      return copy;
    },
    async end(lease, lastEndedAtMs) {
      const report = reportOf(lease);
      report.end = { lastEndedAtMs };
      await wait(report);
    },
    [Symbol.asyncDispose]: flush,
  };
}

/** Sends until the server has answered or no lease of the batch is held any more. */
async function sendReports(deps: ReporterDeps, batch: readonly Report[]): Promise<void> {
  for (let reports = dropOver(batch); reports.length > 0; reports = dropOver(reports)) {
    try {
      const request = { reports: reports.map((report) => toMessage(report, deps.clock)) };
      const answer = await deps.client.complete(request, { timeoutMs: deps.callMs });
      reports.forEach((report, at) => settle(report, answer.leases[at]));
      return;
    } catch (error) {
      const isHopeless = isPermanent(error);
      if (!isHopeless && !deps.giveUp.aborted) {
        deps.logger.warn('attempts could not be reported yet', { reports: reports.length }, error);
        await deps.clock.sleep(RETRY_MS, deps.giveUp).catch(() => undefined);
      } else if (reports.length === 1 || !isHopeless) {
        deps.logger.error('attempts are not reported', { reports: reports.length }, error);
        for (const report of reports) settle(report, undefined);
        return;
      } else {
        for (const report of reports) await sendReports(deps, [report]);
        return;
      }
    }
  }
}

function dropOver(reports: readonly Report[]): readonly Report[] {
  return reports.filter((report) => {
    const isHeld = !report.lease.signal.aborted && report.lease.term.remainingMs() > 0;
    if (!isHeld) settle(report, undefined);
    return isHeld;
  });
}

/** An answer that is missing, or calls the token stale, makes the lease one that is over. */
function settle(report: Report, answer: CompletedLease | undefined): void {
  if (answer?.status !== LeaseStatus.HELD) report.lease.markStale();
  if (answer?.siteDelay !== undefined) report.lease.setSiteDelay(durationMs(answer.siteDelay));
  for (const waiter of report.waiters) waiter.resolve(answer?.robots);
}

function toMessage(report: Report, clock: Clock): MessageInitShape<typeof LeaseReportSchema> {
  const agoOf = (atMs: number): ReturnType<typeof durationFromMs> =>
    durationFromMs(Math.max(0, Math.round(clock.monotonicMs() - atMs)));
  const { lease, attempts, robots, end } = report;
  return {
    leaseToken: lease.lease.leaseToken,
    attempts: attempts.map(({ attempt, endedAtMs }) => ({ ...attempt, endedAgo: agoOf(endedAtMs) })),
    ...(robots === null ? {} : { robots: { ...robots.robots, endedAgo: agoOf(robots.endedAtMs) } }),
    endLease: end !== null,
    ...(end === null || end.lastEndedAtMs === null ? {} : { idle: agoOf(end.lastEndedAtMs) }),
  };
}

const PERMANENT: ReadonlySet<Code> = new Set([
  Code.InvalidArgument,
  Code.NotFound,
  Code.AlreadyExists,
  Code.PermissionDenied,
  Code.Unauthenticated,
  Code.FailedPrecondition,
  Code.OutOfRange,
  Code.Unimplemented,
]);

function isPermanent(error: unknown): boolean {
  return error instanceof ConnectError && PERMANENT.has(error.code);
}
