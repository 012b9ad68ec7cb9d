import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import postgres from 'postgres';

/** A migration as it lies in `migrations/`. */
export type Migration = {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
};

const MIGRATIONS = new URL('./migrations/', import.meta.url);

/** Any number, the same for all: one node migrates at a time. */
const MIGRATION_LOCK = 0xdec0;

/**
 * Brings a database to this version, each migration in a transaction of its own; several nodes may start at once. Throws
 * when an applied migration was edited or the database is newer than this code. Needs a role that may create schemas and
 * roles. Answers the versions that it applied.
 */
export async function migrate(url: string): Promise<readonly number[]> {
  const migrations = await loadMigrations();
  const sql = postgres(url, { max: 1, onnotice: () => undefined, connect_timeout: 10 });
  try {
    return await applyMissing(sql, migrations);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function applyMissing(sql: postgres.Sql, migrations: readonly Migration[]): Promise<number[]> {
  await sql`select pg_advisory_lock(${MIGRATION_LOCK})`;
  await sql`create schema if not exists decorum`;
  await sql`
    create table if not exists decorum.migration (
      version integer primary key, name text not null, sha256 text not null, applied_at timestamptz not null default now()
    )
  `;
  const applied = await sql<{ version: number; sha256: string }[]>`
    select version, sha256 from decorum.migration order by version
  `;
  refuseForeignHistory(applied, migrations);
  const done: number[] = [];
  for (const { version, name, sql: text, sha256 } of migrations.slice(applied.length)) {
    await sql.begin(async (tx) => {
      await tx.unsafe(text).simple();
      await tx`insert into decorum.migration (version, name, sha256) values (${version}, ${name}, ${sha256})`;
    });
    done.push(version);
  }
  return done;
}

function refuseForeignHistory(
  applied: readonly { version: number; sha256: string }[],
  migrations: readonly Migration[],
): void {
  for (const [index, { version, sha256 }] of applied.entries()) {
    const known = migrations[index];
    if (known === undefined)
      throw new Error(`the database is at version ${version}, newer than this program`);
    if (known.sha256 !== sha256)
      throw new Error(`migration ${known.name} was edited after it had been applied`);
  }
}

/** Reads the migrations in order. Throws when a number is missing or used twice. */
export async function loadMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name, index) => {
      const version = Number(name.slice(0, 4));
      if (version !== index + 1)
        throw new Error(`migrations are numbered without gaps; ${name} is not ${index + 1}`);
      const sql = await readFile(new URL(name, MIGRATIONS), 'utf8');
      return { version, name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}
