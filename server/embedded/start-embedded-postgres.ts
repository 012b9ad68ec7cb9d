/**
 * An embedded PostgreSQL: the server of the npm package, as a child on a private port of 127.0.0.1, with its data in
 * `<dataDir>/postgres`.
 *
 * Flow of a start: make the data directory reachable for the service's user (`prepare-data-dir.ts`) · lock `<dataDir>/postgres` · find the
 * programs (`postgres-binaries.ts`) · end what a killed platform left running (`end-orphan.ts`) · make or check the cluster
 * (`postgres-cluster.ts`) · spawn `postgres` under a guardian (`guardian.ts`) on a port (`start-on-port.ts`) · wait until it says that it is
 * ready. The end goes the other way round; the lock is given back last.
 *
 * In `<dataDir>/postgres`: `cluster/` (the database), `password` (0600), `port` (the last one used), `log` and `log.1`, `lock.<n>`.
 */
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedError } from './embedded-error.ts';
import { endOrphan } from './end-orphan.ts';
import type { StopStep } from './guardian-protocol.ts';
import { lockDir } from './lock-dir.ts';
import { logSize, readLogTail } from './log-tail.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { openPostgresCluster, POSTGRES_NAME, type PostgresCluster } from './postgres-cluster.ts';
import { type DataDir, prepareDataDir } from './prepare-data-dir.ts';
import { readProcessStart } from './process-table.ts';
import { type GuardedService, type ServiceEnd, startGuarded } from './start-guarded.ts';
import { LOOPBACK, startOnPort } from './start-on-port.ts';

/** What an embedded PostgreSQL is started with. */
export type EmbeddedPostgresOptions = {
  /** The platform's data directory; made when it is missing. */
  dataDir: string;
  /** Default: the one it had last time, else any free one. */
  port?: number;
  /** Where programs are kept that all checkouts share; default `/var/tmp/decorum-cache-<uid>`. */
  cacheDir?: string;
  /** More `-c` settings of the server, over ours. */
  settings?: Record<string, string>;
  /** Gives up the start; what was started is ended first. */
  signal?: AbortSignal;
};

/** A running PostgreSQL. Disposing it shuts it down (a fast shutdown: clients are cut off, data is written) and waits for that. */
export type EmbeddedPostgres = AsyncDisposable & {
  /** Superuser `decorum`, database `decorum`, password included: not for logs. */
  url: string;
  port: number;
  /** Such as `18.4`. */
  version: string;
  /** Resolves when the server has ended, told or not; then the platform should end too. */
  ended: Promise<ServiceEnd>;
};

/** SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one (the next start recovers from the log). */
const STOP: StopStep[] = [
  { signal: 'SIGINT', waitMs: 30_000 },
  { signal: 'SIGQUIT', waitMs: 6_000 },
];

/** Recovery after a crash reads the log from the last checkpoint on, at most a few minutes' worth with our settings. */
const READY_MS_MAX = 300_000;
const LOOK_MS = 20;
/** A server process that outlived its killed postmaster ends within a moment; until then the next start is refused. */
const SHARED_MEMORY_TRIES = 40;
const SHARED_MEMORY_WAIT_MS = 250;

const SETTINGS: Record<string, string> = {
  listen_addresses: LOOPBACK,
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  fsync: 'on',
  synchronous_commit: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements and keys hold URLs, and logs must not (L2).
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/**
 * Starts PostgreSQL on a data directory: makes the database on the first start, recovers it after a crash, and reuses it on every
 * other one. It never outlives this process. Throws `EmbeddedError`, and the signal's reason when the start is given up.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { signal, cacheDir } = options;
  await using stack = new AsyncDisposableStack();
  const data = await prepareDataDir(options.dataDir);
  const home = join(data.path, 'postgres');
  await mkdir(home, { recursive: true, mode: 0o711 });
  stack.use(await lockDir(home));
  const binaries = await findPostgresBinaries(data, cacheDir);
  await endOrphanedPostmaster(join(home, 'cluster'));
  const cluster = await openPostgresCluster(home, binaries, data.user, signal);
  const { port, service } = await startOnPort(
    { name: 'PostgreSQL', port: options.port, portFile: join(home, 'port') },
    (candidate) =>
      launch(
        { postgres: binaries.postgres, home, cluster, data, settings: options.settings, signal },
        candidate,
      ),
  );
  stack.use(service);
  const { ended } = service;
  const running = stack.move();
  return {
    url: `postgres://${POSTGRES_NAME}:${cluster.password}@${LOOPBACK}:${port}/${POSTGRES_NAME}`,
    port,
    version: binaries.version,
    ended,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

type Launch = {
  postgres: string;
  home: string;
  cluster: PostgresCluster;
  data: DataDir;
  settings: Record<string, string> | undefined;
  signal: AbortSignal | undefined;
};

/** Starts the server on a port and waits until it takes connections. */
async function launch(it: Launch, port: number): Promise<GuardedService> {
  const logFile = join(it.home, 'log');
  const settings = { ...SETTINGS, ...it.settings, port: String(port) };
  for (let round = 0; ; round++) {
    it.signal?.throwIfAborted();
    const logStart = await logSize(logFile);
    const service = await startGuarded(
      {
        name: 'postgres',
        command: it.postgres,
        args: [
          '-D',
          it.cluster.dir,
          ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
        ],
        cwd: it.cluster.dir,
        env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
        ...(it.data.user === undefined ? {} : { user: { uid: it.data.user.uid, gid: it.data.user.gid } }),
        stop: STOP,
        logFile,
      },
      it.cluster.dir,
    );
    if (await becomesReady(service, it.cluster.dir, it.signal)) return service;
    await service[Symbol.asyncDispose]();
    it.signal?.throwIfAborted();
    const said = await readLogTail(logFile, logStart);
    if (said.includes('Address already in use')) throw new EmbeddedError('PORT_IN_USE', said);
    if (!said.includes('pre-existing shared memory block') || round === SHARED_MEMORY_TRIES) {
      throw new EmbeddedError('START_FAILED', `PostgreSQL did not become ready (see ${logFile}): ${said}`);
    }
    await sleep(SHARED_MEMORY_WAIT_MS);
  }
}

async function becomesReady(
  service: GuardedService,
  dir: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const until = performance.now() + READY_MS_MAX;
  while (service.isRunning() && signal?.aborted !== true && performance.now() < until) {
    const { pid, state } = await readPostmasterFile(dir);
    if (pid === service.pid && state === 'ready') return true;
    await sleep(LOOK_MS);
  }
  return false;
}

/**
 * Ends a postmaster that a killed platform left on the cluster. When the pid in its file is now another program, PostgreSQL would
 * refuse to start for as long as that runs: the number is replaced by one that no process has, and not the file removed, since its last
 * line lets PostgreSQL find out whether a server process of the old postmaster is still attached to the shared memory.
 */
async function endOrphanedPostmaster(dir: string): Promise<void> {
  const { pid, text } = await readPostmasterFile(dir);
  if (pid === undefined || (await readProcessStart(pid)) === undefined) return;
  if (await endOrphan({ pid, argument: dir, stop: STOP })) return;
  const file = join(dir, 'postmaster.pid');
  const { uid, gid } = await stat(file);
  await rm(`${file}.new`, { force: true });
  await writeFile(`${file}.new`, text.replace(/^\d+/, String(NO_PID)), { flag: 'wx', mode: 0o600 });
  await chown(`${file}.new`, uid, gid);
  await rename(`${file}.new`, file);
}

/** Above the largest pid of every system we run on (Linux: 2^22). */
const NO_PID = 2_000_000_000;

/** The lock file that a postmaster keeps in its cluster: its pid on the first line, its state on the eighth. */
async function readPostmasterFile(
  dir: string,
): Promise<{ pid: number | undefined; state: string; text: string }> {
  const text = await readFile(join(dir, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  return { pid: pid > 0 ? pid : undefined, state: (lines[7] ?? '').trim(), text };
}
