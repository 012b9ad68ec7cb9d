/**
 * The platform's only composition root. One program, several roles (`DECORUM_ROLES`): `npm start` runs them all in one
 * process, a fleet runs as many of each as it likes; they find each other through Postgres, NATS and gRPC only.
 *
 * Order of a start: configuration, services (embedded or given), migrations, key files, then the roles. The end goes the
 * other way round: the API drains, workers hand in what they hold, services stop last.
 */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { FetchService } from '@decorum/proto/decorum/fetch/v1/fetch_service_pb.ts';
import { loadSdkConfig } from '@decorum/sdk/config/load-sdk-config.ts';
import { createGrpcTransport } from '@decorum/sdk/transport/grpc-transport.ts';
import { startStatus } from './api/start-status.ts';
import { startApi, type Api } from './api/start-api.ts';
import type { ContentHandlerDeps } from './api/content/content-handlers.ts';
import type { CrawlHandlerDeps } from './api/crawl/crawl-handlers.ts';
import type { HandlerDeps } from './api/handlers.ts';
import type { ResultHandlerDeps } from './api/result/result-handlers.ts';
import { authenticate } from './api/keys/authenticate.ts';
import { ensureKeyFile, readKeyFile } from './api/keys/ensure-key-file.ts';
import { getCapture } from './archive/content/get-capture.ts';
import { listCaptures } from './archive/content/list-captures.ts';
import { readBody } from './archive/content/read-body.ts';
import { readLinks } from './archive/content/read-links.ts';
import { readRecords } from './archive/content/read-records.ts';
import { readText } from './archive/content/read-text.ts';
import { createDirectoryArchive, type Archive } from './archive/directory-archive.ts';
import { eraseOrphans } from './archive/upkeep/erase-orphans.ts';
import { takeOverSegments } from './archive/upkeep/take-over-segments.ts';
import { createUpkeepCounters } from './archive/upkeep/upkeep-deps.ts';
import type { Config } from './config/config.ts';
import { ConfigError } from './config/config-error.ts';
import { loadConfig } from './config/load-config.ts';
import { PRODUCT_TOKEN } from './config/load-identity.ts';
import { EmbeddedError } from './embedded/embedded-error.ts';
import { startFetchWorker } from './fetch/start-fetch-worker.ts';
import { startWatchdog } from './fetch/watchdog.ts';
import { cancelRequests } from './frontier/cancel.ts';
import { completeLeases } from './frontier/complete.ts';
import { expireRequests } from './frontier/expire-requests.ts';
import { explainUrl } from './frontier/explain-url.ts';
import { getQuota } from './frontier/get-quota.ts';
import { getSiteHints } from './frontier/get-site-hints.ts';
import { listRequests } from './frontier/list-requests.ts';
import { moveTransfers } from './frontier/move-transfers.ts';
import { releaseLease } from './frontier/release.ts';
import { renew } from './frontier/renew.ts';
import { createHostResolver } from './frontier/resolve-host.ts';
import { resolveHosts } from './frontier/resolve-hosts.ts';
import { submitRequests } from './frontier/submit.ts';
import { sweepExpiredLeases, unparkStrandedHosts } from './frontier/sweep.ts';
import { waitForLeases } from './frontier/wait-for-leases.ts';
import { createBroker, type Broker } from './results/broker.ts';
import { deleteGroup } from './results/delete-group.ts';
import { ensureTenantStreams } from './results/ensure-tenant-streams.ts';
import { listGroups } from './results/list-groups.ts';
import { openResults } from './results/open-results.ts';
import { getResultsByNumber, getResultsByRequest, replayResults } from './results/read-results.ts';
import { startPublisher } from './results/start-publisher.ts';
import { systemClock } from './runtime/clock.ts';
import { createLogger, type Logger } from './runtime/logger.ts';
import { createMetrics, type Metrics } from './runtime/metrics.ts';
import { createReadiness, type Readiness } from './runtime/readiness.ts';
import { runJobs, type Job } from './runtime/run-jobs.ts';
import { createShutdown } from './runtime/shutdown.ts';
import { createWakeUp, type WakeUp } from './runtime/wake-up.ts';
import { openServices, type Services } from './embedded/open-services.ts';
import { createDatabase, type Database } from './store/database.ts';
import { migrate } from './store/migrate.ts';
import { recordJob } from './store/jobs.ts';
import { insertKey, revokeKey } from './store/keys.ts';
import { loadTenant } from './store/load-tenant.ts';
import { insertPurpose, listPurposes } from './store/purposes.ts';
import { closeSegment, openSegment } from './store/segments.ts';
import { insertTenant, listTenants, suspendTenant, updateTenant } from './store/tenants.ts';
import { withStore } from './store/transact.ts';

const VERSION = '0.1.0';

/** Where captures are kept unless a tenant's contract says otherwise. */
const RESIDENCY = 'local';

/** Leases that one worker holds at once: sites that it talks to. */
const FETCH_CONCURRENCY = 64;

const PLACEHOLDER_IDENTITY =
  'no site could tell who we are: set DECORUM_CONTACT and DECORUM_PUBLIC_URL before crawling anything but this machine';

/** What all roles of the process share. */
type Shared = {
  readonly config: Config;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly wakeUp: WakeUp;
  readonly signal: AbortSignal;
};

/** The part of a process that has a database: every role but `fetch` by itself. */
type Backend = {
  readonly services: Services;
  readonly database: Database;
  readonly broker: Broker;
  readonly archive: Archive;
};

async function main(): Promise<void> {
  const config = loadConfig();
  const logger = createLogger({ level: config.logLevel });
  for (const warning of config.warnings) logger.warn(warning);
  using shutdown = createShutdown(logger);
  // A platform that was started by another program, with a channel to it, ends when that program ends, however it ends.
  if (process.connected) process.once('disconnect', () => shutdown.begin());
  const { signal } = shutdown;
  await using stack = new AsyncDisposableStack();
  const metrics = stack.use(createMetrics());
  const shared: Shared = {
    config,
    logger,
    metrics,
    signal,
    readiness: createReadiness(),
    wakeUp: createWakeUp(),
  };

  const archive = createDirectoryArchive(archivePath(config));
  const needsStores = [...config.roles].some((role) => role !== 'fetch');
  const backend = needsStores ? await openBackend(stack, shared, archive) : undefined;
  backend?.services.ended.then(
    (end) => shutdown.begin(new Error(`an embedded service ended by itself: ${JSON.stringify(end)}`)),
    (error: unknown) => shutdown.begin(error),
  );
  const api = backend && config.roles.has('api') ? stack.use(await startApiRole(shared, backend)) : undefined;
  if (api === undefined) stack.use(await startStatus(shared));
  if (backend && config.roles.has('publish')) stack.use(startPublishRole(shared, backend));
  if (backend && config.roles.has('jobs')) stack.use(startJobsRole(shared, backend));
  if (config.roles.has('fetch')) stack.use(await startFetchRole(shared, archive, api));
  announce(shared, backend, api);
  await aborted(signal);
}

async function openBackend(stack: AsyncDisposableStack, shared: Shared, archive: Archive): Promise<Backend> {
  const { config, logger, signal } = shared;
  const services = stack.use(await openServices({ ...config, signal }));
  const applied = await migrate(services.databaseUrl);
  if (applied.length > 0) logger.info('the database was migrated', { versions: applied.join(', ') });
  const database = stack.use(createDatabase(services.databaseUrl));
  const broker = stack.use(createBroker(services.broker, { logger }));
  return { services, database, broker, archive };
}

async function startApiRole(shared: Shared, backend: Backend): Promise<Api> {
  const { config, logger } = shared;
  const { database } = backend;
  for (const [file, role] of [
    ['operator.key', 'operator'],
    ['fetcher.key', 'fetcher'],
  ] as const) {
    const path = join(config.dataDir, file);
    if (await ensureKeyFile(database.general, path, role))
      logger.info('a key was written', { role, file: path });
  }
  return startApi({
    ...shared,
    deps: { ...handlerDeps(shared, backend), authenticate: (token) => authenticate(database.general, token) },
  });
}

function handlerDeps(shared: Shared, backend: Backend): HandlerDeps {
  const { config, wakeUp } = shared;
  const { wake } = wakeUp;
  const { control, lease } = backend.database;
  const { leaseMs } = config;
  const waitDeps = {
    pool: lease,
    monotonicMs: systemClock.monotonicMs,
    waitForWork: (ms: number, signal: AbortSignal) => wakeUp.wait(ms, signal),
  };
  return {
    ...tenantDeps(shared, backend),
    ...readDeps(shared, backend),
    ...crawlDeps(shared, backend),
    leaseMs,
    residency: RESIDENCY,
    wallMs: systemClock.wallMs,
    lease: (input, waitMs, signal) =>
      waitForLeases(waitDeps, { ...input, leaseMs }, waitMs, AbortSignal.any([signal, shared.signal])),
    renew: (input) => renew(control, { ...input, leaseMs }),
    complete: (reports) => completeLeases({ pool: control, productToken: PRODUCT_TOKEN, wake }, reports),
    release: (token, idleMs) => releaseLease({ pool: control, wake }, token, idleMs),
    openSegment: async (workerId, residency) => {
      const segmentId = randomUUID();
      await openSegment(control, { segmentId, workerId, residency, leaseMs });
      return segmentId;
    },
    closeSegment: (workerId, segmentId, bytes) => closeSegment(control, workerId, segmentId, bytes),
  };
}

function crawlDeps({ config, wakeUp: { wake } }: Shared, { database }: Backend): CrawlHandlerDeps {
  const { general: pool } = database;
  const { wallMs } = systemClock;
  const { allowAddresses: exempt, lockDelayMs } = config;
  const explainDeps = { pool, productToken: PRODUCT_TOKEN, lockDelayMs, exempt };
  return {
    submit: (input) => submitRequests({ pool, wallMs, exempt, wake }, input),
    cancelRequests: (tenantId, selector) => cancelRequests({ pool, wake }, tenantId, selector),
    listRequests: (tenantId, query) => listRequests(pool, tenantId, query),
    explainUrl: (tenantId, url) => explainUrl(explainDeps, tenantId, url),
    getSiteHints: (tenantId, hostOrSite) => getSiteHints(pool, tenantId, hostOrSite),
    getQuota: (tenantId) => getQuota(pool, tenantId),
  };
}

function readDeps({ logger }: Shared, backend: Backend): ResultHandlerDeps & ContentHandlerDeps {
  const { broker, archive } = backend;
  const pool = backend.database.general;
  const results = { pool, broker, logger, wallMs: systemClock.wallMs };
  const content = { pool, archive, clock: systemClock };
  return {
    openResults: (input) => openResults(results, input),
    listGroups: (tenantId) => listGroups(results, tenantId),
    deleteGroup: (input) => deleteGroup(results, input),
    getResultsByNumber: (tenantId, selection, numbers) =>
      getResultsByNumber(results, tenantId, selection, numbers),
    getResultsByRequest: (tenantId, requestIds) => getResultsByRequest(results, tenantId, requestIds),
    replayResults: (tenantId, selection, page) => replayResults(results, tenantId, selection, page),
    getCapture: (tenantId, captureId) => getCapture(content, tenantId, captureId),
    listCaptures: (tenantId, query) => listCaptures(content, tenantId, query),
    readBody: (input) => readBody(content, input),
    readRecords: (tenantId, captureIds) => readRecords(content, tenantId, captureIds),
    readText: (tenantId, captureId) => readText(content, tenantId, captureId),
    readLinks: (tenantId, captureId) => readLinks(content, tenantId, captureId),
  };
}

function tenantDeps({ logger }: Shared, { database: { general }, broker }: Backend) {
  const results = { pool: general, broker, logger, wallMs: systemClock.wallMs };
  return {
    productToken: PRODUCT_TOKEN,
    createTenant: async (tenant: Parameters<typeof insertTenant>[1]) => {
      const created = await insertTenant(general, tenant);
      // When the broker is away, the tenant's place there is made as it first opens its results.
      if (created !== undefined) void ensureTenantStreams(results, created.tenantId).catch(() => undefined);
      return created;
    },
    loadTenant: (tenantId: string) => withStore(() => loadTenant(general, tenantId)),
    updateTenant: (tenantId: string, change: Parameters<typeof updateTenant>[2]) =>
      updateTenant(general, tenantId, change),
    suspendTenant: (tenantId: string, suspended: boolean, reason: string) =>
      suspendTenant(general, tenantId, suspended, reason),
    listTenants: (after: string, limit: number) => listTenants(general, after, limit),
    insertKey: (key: Parameters<typeof insertKey>[1]) => insertKey(general, key),
    revokeKey: (keyId: string) => revokeKey(general, keyId),
    insertPurpose: (purpose: Parameters<typeof insertPurpose>[1]) => insertPurpose(general, purpose),
    listPurposes: () => listPurposes(general),
  };
}

function startPublishRole(shared: Shared, { database, broker }: Backend): AsyncDisposable {
  const { logger, metrics, wakeUp } = shared;
  const publisher = startPublisher({
    pool: database.general,
    broker,
    publisherId: `publish-${randomUUID()}`,
    logger,
    meter: metrics.meter,
    clock: systemClock,
  });
  wakeUp.subscribe(publisher.wake);
  return publisher;
}

function startJobsRole(shared: Shared, { database, archive }: Backend): AsyncDisposable {
  const { config, logger, metrics, wakeUp } = shared;
  const { general: pool } = database;
  const { wake } = wakeUp;
  const exempt = config.allowAddresses;
  const resolve = createHostResolver(config.dnsServers);
  const claimed = 'each takes other rows';
  const upkeep = { pool, archive, logger, counters: createUpkeepCounters(metrics.meter) };
  const jobs: readonly Job[] = [
    {
      name: 'resolve_hosts',
      periodMs: 250,
      ifTwoRun: claimed,
      run: () => resolveHosts({ pool, resolve, exempt, wake }),
    },
    {
      name: 'move_transfers',
      periodMs: 250,
      ifTwoRun: claimed,
      run: () => moveTransfers({ pool, exempt, wake }),
    },
    {
      name: 'sweep_leases',
      periodMs: 1_000,
      ifTwoRun: claimed,
      run: () => sweepExpiredLeases(pool, config.lockDelayMs),
    },
    { name: 'unpark_hosts', periodMs: 1_000, ifTwoRun: claimed, run: () => unparkStrandedHosts(pool) },
    { name: 'expire_requests', periodMs: 1_000, ifTwoRun: claimed, run: () => expireRequests(pool) },
    {
      name: 'take_over_segments',
      periodMs: 1_000,
      ifTwoRun: 'one holds a segment, the other passes it over',
      run: () => takeOverSegments(upkeep, config.lockDelayMs),
    },
    {
      name: 'erase_orphans',
      periodMs: 2_000,
      ifTwoRun: 'one holds a segment, the other passes it over',
      run: () => eraseOrphans(upkeep),
    },
  ];
  const record = ({ name, periodMs, ifTwoRun }: Job, startedAgoMs: number, lastError: string | null) =>
    recordJob(pool, { name, periodMs, ifTwoRun, lastError }, startedAgoMs);
  return runJobs({ clock: systemClock, logger, wakeUp, record }, jobs);
}

async function startFetchRole(
  shared: Shared,
  archive: Archive,
  api: Api | undefined,
): Promise<AsyncDisposable> {
  const { config, logger, signal } = shared;
  const { url, key: givenKey } = loadSdkConfig();
  // A key in the environment is for a worker by itself; a shell may hold a tenant's.
  const ownKey = await readKeyFile(join(config.dataDir, 'fetcher.key'));
  const key = api === undefined ? (givenKey ?? ownKey) : ownKey;
  if (key === undefined) throw new Error('the role fetch needs DECORUM_KEY, the key of a fetcher');
  const spoolDir = join(config.dataDir, 'spool');
  await mkdir(spoolDir, { recursive: true, mode: 0o700 });
  const transport = createGrpcTransport({
    url: api === undefined ? url : `${config.tls ? 'https' : 'http'}://${api.grpcAddress}`,
    key,
    userAgent: 'decorum-fetch',
  });
  const watchdog = startWatchdog({ silentMsMax: config.leaseMs / 3, logger });
  const worker = startFetchWorker({
    client: createClient(FetchService, transport),
    archive,
    spoolDir,
    clock: systemClock,
    logger,
    identity: {
      userAgent: config.identity.userAgent,
      from: config.identity.contact,
      productToken: PRODUCT_TOKEN,
    },
    workerVersion: VERSION,
    concurrency: FETCH_CONCURRENCY,
    limits: { totalMs: config.fetchTotalMs },
    exemptAddresses: config.allowAddresses,
    ...(config.identity.isPlaceholder && { publicRefusal: PLACEHOLDER_IDENTITY }),
    signal,
  });
  return {
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]();
      await watchdog[Symbol.asyncDispose]();
      await transport[Symbol.asyncDispose]();
    },
  };
}

function archivePath({ archive }: Config): string {
  if (archive.kind === 'directory') return archive.path;
  throw new Error('DECORUM_ARCHIVE_URL: S3 is not supported yet; give a directory as file:///path');
}

function announce({ config }: Shared, backend: Backend | undefined, api: Api | undefined): void {
  const lines = [
    `Decorum ${VERSION}: ${[...config.roles].join(', ')}`,
    ...(api === undefined
      ? []
      : [
          `  gRPC                      ${config.tls ? 'https' : 'http'}://${api.grpcAddress}`,
          `  Connect, gRPC-Web, pages  http://${api.httpAddress} (/bot, /healthz, /readyz, /metrics)`,
          `  operator's key            ${join(config.dataDir, 'operator.key')}`,
        ]),
    ...(backend?.services.notes.map((note) => `  ${note}`) ?? []),
    `  archive                   ${archivePath(config)}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

try {
  await main();
} catch (error) {
  const isForPeople = error instanceof ConfigError || error instanceof EmbeddedError;
  process.stderr.write(
    isForPeople ? `${error.message}\n` : `${error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exitCode = 1;
}
