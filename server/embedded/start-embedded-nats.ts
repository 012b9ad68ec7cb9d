/**
 * An embedded nats-server in operator mode with JetStream, as a child on a private port of 127.0.0.1, with its data in `<dataDir>/nats`.
 *
 * Flow of a start: make the data directory reachable for the service's user (`prepare-data-dir.ts`) · lock `<dataDir>/nats` · find or fetch
 * the program (`find-nats-server.ts`) · end what a killed platform left running (`end-orphan.ts`) · make or read the operator's keys
 * (`open-operator-seeds.ts`) · write credentials and configuration · spawn the server under a guardian (`guardian.ts`) on a port
 * (`start-on-port.ts`) · wait until it greets a client under the name we gave it. The end goes the other way round.
 *
 * In `<dataDir>/nats`: `keys/` (0700: the operator's seeds, `system.creds`, `platform.creds`), `nats-server.conf`, `state/` (accounts and
 * streams, the server's own), `port`, `log` and `log.1`, `lock.<n>`.
 */
import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOperatorIdentity, type OperatorSeeds } from '../results/nats/create-operator-identity.ts';
import { EmbeddedError } from './embedded-error.ts';
import { endOrphan } from './end-orphan.ts';
import { findNatsServer } from './find-nats-server.ts';
import type { StopStep } from './guardian-protocol.ts';
import { lockDir } from './lock-dir.ts';
import { logSize, readLogTail } from './log-tail.ts';
import { formatNatsConfig } from './nats-config.ts';
import { openOperatorSeeds, type OperatorSeedFiles } from './open-operator-seeds.ts';
import { type DataDir, prepareDataDir } from './prepare-data-dir.ts';
import { type GuardedService, type ServiceEnd, startGuarded } from './start-guarded.ts';
import { LOOPBACK, startOnPort } from './start-on-port.ts';

/** What an embedded nats-server is started with. */
export type EmbeddedNatsOptions = {
  /** The platform's data directory; made when it is missing. */
  dataDir: string;
  /** Default: the one it had last time, else any free one. */
  port?: number;
  /** Where to look for nats-server first: the value of PATH. */
  searchPath?: string;
  /** Where programs are kept that all checkouts share; default `/var/tmp/decorum-cache-<uid>`. */
  cacheDir?: string;
  /** What all streams together may reserve on disk, bytes; default 64 GiB. */
  storeBytesMax?: number;
  /** Gives up the start; what was started is ended first. */
  signal?: AbortSignal;
};

/** A running nats-server. Disposing it shuts it down in order and waits for that. */
export type EmbeddedNats = AsyncDisposable & {
  url: string;
  port: number;
  /** Such as `2.10.27`. */
  version: string;
  /** Texts of `.creds` files: a user of SYS (pushes accounts), a user of PLATFORM (streams). */
  systemCreds: string;
  platformCreds: string;
  /** Sign accounts (operator) and activation tokens (platform). */
  seeds: OperatorSeeds;
  /** The same as files (mode 0600), for processes that are given paths. */
  files: { systemCreds: string; platformCreds: string; seeds: OperatorSeedFiles };
  /** Resolves when the server has ended, told or not; then the platform should end too. */
  ended: Promise<ServiceEnd>;
};

const STOP: StopStep[] = [{ signal: 'SIGTERM', waitMs: 20_000 }];
/** Streams are recovered before the server listens. */
const READY_MS_MAX = 120_000;
const LOOK_MS = 20;
const GREETING_MS_MAX = 2000;
/** A ceiling, not a reservation: what is really taken is bounded by the streams. */
const STORE_BYTES_MAX = 64 * 1024 ** 3;

/**
 * Starts nats-server on a data directory: makes the operator's keys on the first start and reuses keys, accounts and streams on every other
 * one. It never outlives this process. Throws `EmbeddedError`, and the signal's reason when the start is given up.
 */
export async function startEmbeddedNats(options: EmbeddedNatsOptions): Promise<EmbeddedNats> {
  const { signal } = options;
  await using stack = new AsyncDisposableStack();
  const data = await prepareDataDir(options.dataDir);
  const home = join(data.path, 'nats');
  await mkdir(home, { recursive: true, mode: 0o711 });
  stack.use(await lockDir(home));
  const binary = await findNatsServer(data, options);
  const state = await openState(home, data);
  await endOrphanedServer(state);
  const { seeds, seedFiles } = await openOperatorSeeds(home);
  const identity = createOperatorIdentity(seeds, Date.now());
  const files = {
    systemCreds: join(home, 'keys/system.creds'),
    platformCreds: join(home, 'keys/platform.creds'),
    seeds: seedFiles,
  };
  await replaceFile(files.systemCreds, identity.systemCreds, 0o600);
  await replaceFile(files.platformCreds, identity.platformCreds, 0o600);
  const serverName = `decorum-${randomUUID()}`;
  const storeBytesMax = options.storeBytesMax ?? STORE_BYTES_MAX;
  const config = formatNatsConfig({
    identity,
    serverName,
    storeBytesMax,
    stateDir: state.dir,
    pidFile: state.pidFile,
  });
  await replaceFile(state.configFile, config, 0o644);
  const { port, service } = await startOnPort(
    { name: 'nats-server', port: options.port, portFile: join(home, 'port') },
    (candidate) => launch({ command: binary.path, home, state, data, serverName, signal }, candidate),
  );
  stack.use(service);
  const { ended } = service;
  const running = stack.move();
  return {
    url: `nats://${LOOPBACK}:${port}`,
    port,
    version: binary.version,
    systemCreds: identity.systemCreds,
    platformCreds: identity.platformCreds,
    seeds,
    files,
    ended,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** What belongs to the server itself: it alone writes to `dir`. */
type State = { dir: string; pidFile: string; configFile: string };

async function openState(home: string, { user }: DataDir): Promise<State> {
  const dir = join(home, 'state');
  await mkdir(dir, { recursive: true, mode: 0o700 });
  if (user !== undefined) await chown(dir, user.uid, user.gid);
  return { dir, pidFile: join(dir, 'nats-server.pid'), configFile: join(home, 'nats-server.conf') };
}

async function endOrphanedServer({ pidFile, configFile }: State): Promise<void> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  if (pid > 0) await endOrphan({ pid, argument: configFile, stop: STOP });
}

async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  await writeFile(`${file}.new`, text, { mode });
  await chmod(`${file}.new`, mode);
  await rename(`${file}.new`, file);
}

type Launch = {
  command: string;
  home: string;
  state: State;
  data: DataDir;
  serverName: string;
  signal: AbortSignal | undefined;
};

/** Starts the server on a port and waits until it takes connections. */
async function launch(it: Launch, port: number): Promise<GuardedService> {
  it.signal?.throwIfAborted();
  const logFile = join(it.home, 'log');
  const logStart = await logSize(logFile);
  const service = await startGuarded(
    {
      name: 'nats-server',
      command: it.command,
      args: ['-c', it.state.configFile, '-a', LOOPBACK, '-p', String(port)],
      cwd: it.state.dir,
      env: { TZ: 'UTC', PATH: '/usr/bin:/bin' },
      ...(it.data.user === undefined ? {} : { user: { uid: it.data.user.uid, gid: it.data.user.gid } }),
      stop: STOP,
      logFile,
    },
    it.state.configFile,
  );
  if (await becomesReady(service, it.serverName, port, it.signal)) return service;
  await service[Symbol.asyncDispose]();
  it.signal?.throwIfAborted();
  const said = await readLogTail(logFile, logStart);
  if (said.includes('address already in use')) throw new EmbeddedError('PORT_IN_USE', said);
  throw new EmbeddedError('START_FAILED', `nats-server did not become ready (see ${logFile}): ${said}`);
}

async function becomesReady(
  service: GuardedService,
  serverName: string,
  port: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const until = performance.now() + READY_MS_MAX;
  while (service.isRunning() && signal?.aborted !== true && performance.now() < until) {
    // Another program may have taken the port before ours; only ours knows the name.
    if ((await readGreeting(port)).includes(serverName)) return true;
    await sleep(LOOK_MS);
  }
  return false;
}

/** The line that a nats-server says first (`INFO {…}`); empty when nobody listens. */
async function readGreeting(port: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let said = '';
  const socket = connect({ host: LOOPBACK, port, timeout: GREETING_MS_MAX });
  socket.on('data', (chunk) => {
    said += chunk.toString('latin1');
    if (said.includes('\n') || said.length > 8192) socket.destroy();
  });
  socket.once('timeout', () => socket.destroy());
  socket.on('error', () => undefined);
  socket.once('close', () => resolve(said));
  return promise;
}
