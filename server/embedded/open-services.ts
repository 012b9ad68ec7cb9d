import { readFile } from 'node:fs/promises';
import type { NatsConfig } from '../config/config.ts';
import type { BrokerAccess } from '../results/broker.ts';
import { prepareDataDir } from './prepare-data-dir.ts';
import { startEmbeddedNats } from './start-embedded-nats.ts';
import { startEmbeddedPostgres } from './start-embedded-postgres.ts';
import type { ServiceEnd } from './start-guarded.ts';

/** The services that a platform stands on: started here, or given. Disposing stops what was started here. */
export type Services = AsyncDisposable & {
  readonly databaseUrl: string;
  readonly broker: BrokerAccess;
  /** For people: what runs where, a line each, without secrets. */
  readonly notes: readonly string[];
  /** Resolves when a service that was started here has ended by itself; never for those given. */
  readonly ended: Promise<ServiceEnd>;
};

/** Which services are given, and where those started here keep their data. */
export type ServiceOptions = {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly nats: NatsConfig;
  /** Where nats-server is looked for first: the value of PATH. */
  readonly searchPath?: string | undefined;
  readonly signal: AbortSignal;
};

/** Opens both services. Throws `EmbeddedError` when one cannot be started. */
export async function openServices(options: ServiceOptions): Promise<Services> {
  await using stack = new AsyncDisposableStack();
  const { path: dataDir } = await prepareDataDir(options.dataDir);
  const [database, nats] = await Promise.all([
    openDatabase(stack, dataDir, options),
    openBroker(stack, dataDir, options),
  ]);
  const moved = stack.move();
  return {
    databaseUrl: database.url,
    broker: nats.access,
    notes: [database.note, nats.note],
    ended: Promise.race([database.ended, nats.ended]),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

const NEVER = new Promise<never>(() => undefined);

async function openDatabase(
  stack: AsyncDisposableStack,
  dataDir: string,
  { databaseUrl, signal }: ServiceOptions,
) {
  if (databaseUrl !== undefined)
    return { url: databaseUrl, note: 'PostgreSQL as given by DATABASE_URL', ended: NEVER };
  const postgres = stack.use(await startEmbeddedPostgres({ dataDir, signal }));
  const note = `PostgreSQL ${postgres.version} on 127.0.0.1:${postgres.port} (embedded)`;
  return { url: postgres.url, note, ended: postgres.ended };
}

async function openBroker(
  stack: AsyncDisposableStack,
  dataDir: string,
  { nats, searchPath, signal }: ServiceOptions,
) {
  if (nats.kind === 'external') {
    const [platformCreds, systemCreds, operatorSeed, platformSeed] = await Promise.all(
      [nats.credsFile, nats.sysCredsFile, nats.operatorSeedFile, nats.accountSeedFile].map(readSecret),
    );
    const access = {
      url: nats.urls.join(','),
      platformCreds,
      systemCreds,
      operatorSeed,
      platformSeed,
    } as BrokerAccess;
    return { access, note: 'NATS as given by NATS_URL', ended: NEVER };
  }
  const server = stack.use(
    await startEmbeddedNats({ dataDir, signal, ...(searchPath !== undefined && { searchPath }) }),
  );
  const access: BrokerAccess = {
    url: server.url,
    platformCreds: server.platformCreds,
    systemCreds: server.systemCreds,
    operatorSeed: server.seeds.operator,
    platformSeed: server.seeds.platform,
  };
  const note = `nats-server ${server.version} on 127.0.0.1:${server.port} (embedded)`;
  return { access, note, ended: server.ended };
}

async function readSecret(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).trim();
}
