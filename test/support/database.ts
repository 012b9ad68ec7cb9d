/**
 * Databases for tests, on a real PostgreSQL: each a clone of a migrated template, made in a fraction of a second.
 *
 * The server is the one that `run-tests.ts` started and names in DECORUM_TEST_DATABASE_URL; a file that is run by itself
 * starts one, which ends with its process. It does not wait for the disk: whoever tests what a crash leaves starts a
 * server of their own.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '@decorum/server/embedded/start-embedded-postgres.ts';
import { createDatabase, type Database, type Pool } from '@decorum/server/store/database.ts';
import { loadMigrations, migrate } from '@decorum/server/store/migrate.ts';
import postgres from 'postgres';

/** A database of one test file. Disposing it drops it, whoever is still connected. */
export type TestDatabase = Database & {
  readonly url: string;
  /** The superuser: sees and writes all rows. */
  readonly admin: Pool;
  /** Lets `decorum.now()` run ahead by so much more, ms; only for this database. */
  readonly advanceClock: (ms: number) => Promise<void>;
};

/** Names the server that a run's test files share. */
export const DATABASE_URL_VARIABLE = 'DECORUM_TEST_DATABASE_URL';

/** Makes an empty database, migrated to this version. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env[DATABASE_URL_VARIABLE] ?? (await startOwnServer());
  const name = `test_${randomBytes(8).toString('hex')}`;
  await withAdmin(serverUrl, async (sql) => {
    const template = await openTemplate(sql, serverUrl);
    await sql.unsafe(`create database ${name} template ${template}`);
  });
  const url = withDatabase(serverUrl, name);
  const database = createDatabase(url);
  const admin = connect(url, 4);
  let aheadMs = 0;
  return {
    ...database,
    url,
    admin,
    async advanceClock(ms) {
      aheadMs += ms;
      await admin.unsafe(`
        create or replace function decorum.now() returns timestamptz language sql stable parallel safe
          return statement_timestamp() + interval '${aheadMs} milliseconds'
      `);
    },
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await admin.end({ timeout: 5 });
      await withAdmin(serverUrl, (sql) => sql.unsafe(`drop database ${name} with (force)`));
    },
  };
}

/** Starts a server for tests in a directory of its own; disposing it removes that too. */
export async function startTestPostgres(): Promise<EmbeddedPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'decorum-test-'));
  try {
    const server = await startEmbeddedPostgres({ dataDir, settings: TEST_SETTINGS });
    return {
      ...server,
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]();
        await rm(dataDir, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  }
}

const TEST_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  shared_buffers: '64MB',
};

let ownServer: Promise<string> | undefined;

function startOwnServer(): Promise<string> {
  ownServer ??= startTestPostgres().then((server) => {
    process.once('beforeExit', () => void server[Symbol.asyncDispose]());
    return server.url;
  });
  return ownServer;
}

const TEMPLATE_LOCK = 0x7e57;

/** The template is named by what it was migrated with, and made by whoever comes first. */
async function openTemplate(sql: Pool, serverUrl: string): Promise<string> {
  const migrations = await loadMigrations();
  const digest = createHash('sha256').update(migrations.map(({ sha256 }) => sha256).join());
  const name = `template_${digest.digest('hex').slice(0, 16)}`;
  await sql`select pg_advisory_lock(${TEMPLATE_LOCK})`;
  const found = await sql`select from pg_database where datname = ${name} and datistemplate`;
  if (found.length === 0) {
    await sql.unsafe(`drop database if exists ${name} with (force)`);
    await sql.unsafe(`create database ${name}`);
    await migrate(withDatabase(serverUrl, name));
    await sql.unsafe(`alter database ${name} is_template true`);
  }
  await sql`select pg_advisory_unlock(${TEMPLATE_LOCK})`;
  return name;
}

async function withAdmin(url: string, work: (sql: Pool) => Promise<unknown>): Promise<void> {
  const sql = connect(url, 1);
  try {
    await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function connect(url: string, max: number): Pool {
  return postgres(url, {
    max,
    types: { bigint: postgres.BigInt },
    onnotice: () => undefined,
    connection: { search_path: 'decorum', TimeZone: 'UTC' },
  });
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
