/**
 * The fetch worker: asks for leases, runs them side by side, and ends in order. It needs no database; all it knows of the
 * platform is the FetchService, and all it keeps is in the archive or dies with it (D4: a lease's worth of fetches).
 *
 * Flow: one loop asks for as many leases as there is room; each lease runs on its own (`run-lease.ts`); one renewal speaks
 * for all leases and segments, one reporter for all attempts.
 *
 * States: working; draining (nothing is started any more; what runs may go on for `drainMs`, then it is aborted; a lease
 * that is still granted is given back at once); ended, when everything was reported and the segments were handed back.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { durationFromMs, durationMs } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import type { FetchService } from '@decorum/proto/decorum/fetch/v1/fetch_service_pb.ts';
import type { Lease } from '@decorum/proto/decorum/fetch/v1/lease_pb.ts';
import type { Archive } from '../archive/directory-archive.ts';
import { createSpoolBudget } from '../archive/spool.ts';
import type { WarcFields } from '../archive/warc-header.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { FetchFailure } from './fetch-failure.ts';
import { DEFAULT_FETCH_LIMITS, type FetchLimits } from './fetch-limits.ts';
import type { LeaseRunDeps } from './lease-run.ts';
import { holdLease, type LocalLease } from './local-lease.ts';
import { readClocks, startLocalTerm, type TermStart } from './local-term.ts';
import { startRenewal } from './renewal.ts';
import { createReporter } from './reporter.ts';
import type { FetchIdentity } from './request-head.ts';
import { runLease, type ConnectionRules } from './run-lease.ts';
import { createSegmentKeeper } from './segment-keeper.ts';

/** What a worker is made of. */
export type FetchWorkerDeps = ConnectionRules & {
  readonly client: Client<typeof FetchService>;
  readonly archive: Pick<Archive, 'openSegment'>;
  /** Where bodies too long for memory lie while they are received; exists. */
  readonly spoolDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly identity: FetchIdentity;
  readonly workerVersion: string;
  /** Leases held at once, 1 to 1,000: each is one connection at most. */
  readonly concurrency: number;
  readonly limits?: Partial<FetchLimits>;
  /** Begins the draining. */
  readonly signal: AbortSignal;
};

/** A worker that runs. Disposing of it drains it and resolves when it has ended. */
export type FetchWorker = AsyncDisposable & { readonly workerId: string };

/** Leases that one call may ask for, and that one Renew can name: what the contract allows. */
const LEASES_PER_CALL_MAX = 100;
const LEASES_HELD_MAX = 1_000;

/** How long a call may take beside what it waits for on purpose. */
const CALL_MS = 10_000;

/** Waits after a call for leases that failed, doubled up to the second. */
const LEASE_RETRY_MS = 250;
const LEASE_RETRY_MS_MAX = 5_000;

/** How long nothing is leased after the archive took nothing, before it is tried again. */
const ARCHIVE_RETRY_MS = 2_000;

/** Starts a worker; it asks for work at once. */
export function startFetchWorker(deps: FetchWorkerDeps): FetchWorker {
  assert.ok(deps.concurrency >= 1 && deps.concurrency <= LEASES_HELD_MAX, 'a worker holds 1 to 1,000 leases');
  const worker = assemble(deps);
  const beginDraining = (): void => worker.draining.abort(new FetchFailure('DRAINED', 'the worker ends'));
  deps.signal.addEventListener('abort', beginDraining, { once: true });
  if (deps.signal.aborted) beginDraining();
  const leasing = askForLeases(worker);
  let ending: Promise<void> | null = null;
  const end = async (): Promise<void> => {
    beginDraining();
    deps.signal.removeEventListener('abort', beginDraining);
    await drain(worker, leasing);
  };
  return { workerId: worker.workerId, [Symbol.asyncDispose]: () => (ending ??= end()) };
}

type Worker = FetchWorkerDeps & {
  readonly workerId: string;
  readonly limits: FetchLimits;
  readonly running: Map<LocalLease, Promise<void>>;
  readonly draining: AbortController;
  readonly drained: AbortController;
  readonly runDeps: LeaseRunDeps;
  readonly renewal: AsyncDisposable;
  /** Residencies for which the archive took nothing lately. */
  readonly troubled: Set<string>;
};

function assemble(deps: FetchWorkerDeps): Worker {
  const { client, clock, identity } = deps;
  const workerId = `fetch-${randomUUID()}`;
  const logger = deps.logger.with({ workerId });
  const limits = { ...DEFAULT_FETCH_LIMITS, ...deps.limits };
  const running = new Map<LocalLease, Promise<void>>();
  const draining = new AbortController();
  const drained = new AbortController();
  const shared = { client, clock, logger, workerId, callMs: CALL_MS, giveUp: drained.signal };
  const troubled = new Set<string>();
  const warcinfo = describeSegments(deps);
  const { archive } = deps;
  const segments = createSegmentKeeper({ ...shared, archive, warcinfo, marginMs: limits.leaseMarginMs });
  const reporter = createReporter({ ...shared, delayMs: limits.reportDelayMs });
  const renewal = startRenewal({ ...shared, leases: () => [...running.keys()], segments });
  const budget = createSpoolBudget({
    memoryBytesMax: limits.spoolMemoryBytes,
    fileBytesMax: limits.spoolFileBytes,
  });
  const runDeps = {
    ...{ clock, logger, limits, identity, segments, reporter },
    spool: { dir: deps.spoolDir, budget },
    draining: draining.signal,
    drained: drained.signal,
    noteNotStored: (residency: string) => void troubled.add(residency),
  };
  return { ...deps, logger, workerId, limits, running, draining, drained, runDeps, renewal, troubled };
}

function describeSegments({ identity, workerVersion }: FetchWorkerDeps): WarcFields {
  return [
    ['software', `decorum/${workerVersion}`],
    ['robots', 'obey'],
    ['http-header-user-agent', identity.userAgent],
    ['http-header-from', identity.from],
  ];
}

/** Asks for leases while there is room for them, until the worker drains. */
async function askForLeases(worker: Worker): Promise<void> {
  const { clock, draining, running, logger } = worker;
  const isDraining = (): boolean => draining.signal.aborted;
  for (let failures = 0; !isDraining();) {
    try {
      await archiveTakes(worker);
      const room = worker.concurrency - running.size;
      if (room > 0) await askOnce(worker, Math.min(room, LEASES_PER_CALL_MAX));
      else await untilRoom(worker);
      failures = 0;
    } catch (error) {
      if (isDraining()) return;
      logger.warn('no leases can be had at present', { failures }, error);
      const waitMs = Math.min(LEASE_RETRY_MS * 2 ** failures, LEASE_RETRY_MS_MAX);
      failures += 1;
      await clock.sleep(waitMs * (0.5 + Math.random() / 2), draining.signal).catch(() => undefined);
    }
  }
}

/** The call is waited for even when the worker drains: a lease that it grants would stay shut until it runs out. */
async function askOnce(worker: Worker, leasesMax: number): Promise<void> {
  const { client, clock, limits, workerId, workerVersion } = worker;
  const askedAt = readClocks(clock);
  const answer = await client.lease(
    { workerId, workerVersion, leasesMax, wait: durationFromMs(limits.leaseWaitMs) },
    { timeoutMs: limits.leaseWaitMs + CALL_MS },
  );
  for (const lease of answer.leases) {
    if (worker.draining.signal.aborted) await giveBack(worker, lease);
    else startLease(worker, lease, askedAt);
  }
}

function startLease(worker: Worker, granted: Lease, askedAt: TermStart): void {
  const { clock, limits, running, runDeps, exemptAddresses, publicRefusal, trustedCertificates } = worker;
  const durationOf = granted.expiresAfter === undefined ? 0 : durationMs(granted.expiresAfter);
  const term = startLocalTerm({ clock, askedAt, durationMs: durationOf, marginMs: limits.leaseMarginMs });
  const lease = holdLease(granted, term);
  const run = runLease(runDeps, { exemptAddresses, publicRefusal, trustedCertificates }, lease);
  running.set(
    lease,
    run.finally(() => void running.delete(lease)),
  );
}

async function giveBack({ client, logger }: Worker, { leaseToken }: Lease): Promise<void> {
  try {
    await client.release({ leaseToken }, { timeoutMs: CALL_MS });
  } catch (error) {
    logger.warn('a lease could not be given back and has to run out', {}, error);
  }
}

async function untilRoom({ running, draining }: Worker): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const stop = (): void => resolve(undefined);
  draining.signal.addEventListener('abort', stop, { once: true });
  await Promise.race([promise, ...running.values()]);
  draining.signal.removeEventListener('abort', stop);
}

/** D5: after the archive took nothing, no lease is asked for before there is a segment again. */
async function archiveTakes({ troubled, runDeps, clock, draining }: Worker): Promise<void> {
  for (const residency of troubled) {
    await clock.sleep(ARCHIVE_RETRY_MS, draining.signal);
    await runDeps.segments.prepare(residency);
    troubled.delete(residency);
  }
}

async function drain(worker: Worker, leasing: Promise<void>): Promise<void> {
  const { limits, running, drained, runDeps, renewal } = worker;
  const abortRest = setTimeout(
    () => drained.abort(new FetchFailure('DRAINED', 'the worker ends')),
    limits.drainMs,
  );
  await Promise.all([leasing, ...running.values()]);
  await Promise.all(running.values());
  await runDeps.reporter[Symbol.asyncDispose]();
  await runDeps.segments[Symbol.asyncDispose]();
  await renewal[Symbol.asyncDispose]();
  clearTimeout(abortRest);
}
