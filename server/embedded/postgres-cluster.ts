import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  lchown,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedError } from './embedded-error.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { runProgram } from './run-program.ts';
import type { ServiceUser } from './service-user.ts';

/** Superuser and database of an embedded PostgreSQL. */
export const POSTGRES_NAME = 'decorum';

/** Files of a database that is not running. */
export type PostgresCluster = { dir: string; password: string };

/** initdb took 1.2–5 s where it was measured; a busy machine may need much longer. */
const INIT_MS_MAX = 300_000;

/**
 * Opens the database cluster in `home`, making it on the first start: UTF8 with the C locale (names and URLs sort by their bytes),
 * one superuser `decorum` with a random password that is kept beside the cluster (mode 0600), and an empty database of that name. A
 * start that was interrupted leaves nothing half done. Call it while holding the lock of `home`.
 * Throws `DATA_DIR_VERSION` or `DATA_DIR_UNUSABLE`.
 */
export async function openPostgresCluster(
  home: string,
  binaries: PostgresBinaries,
  user: ServiceUser | undefined,
  signal?: AbortSignal,
): Promise<PostgresCluster> {
  const dir = join(home, 'cluster');
  await removeUnfinished(home);
  const isNew = (await stat(dir).catch(() => undefined)) === undefined;
  const password = await openPassword(join(home, 'password'), isNew);
  if (isNew) await createCluster({ home, dir, password, binaries, user, signal });
  else await checkCluster(dir, binaries, user);
  return { dir, password };
}

type NewCluster = {
  home: string;
  dir: string;
  password: string;
  binaries: PostgresBinaries;
  user: ServiceUser | undefined;
  signal: AbortSignal | undefined;
};

async function createCluster({ home, dir, password, binaries, user, signal }: NewCluster): Promise<void> {
  const fresh = await mkdtemp(join(home, 'new-cluster-'));
  const passwordFile = `${fresh}.password`;
  await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
  if (user !== undefined) {
    await chown(fresh, user.uid, user.gid);
    await chown(passwordFile, user.uid, user.gid);
  }
  const options = ['--encoding=UTF8', '--locale=C', '--auth=scram-sha-256', '--no-instructions'];
  const login = [`--username=${POSTGRES_NAME}`, `--pwfile=${passwordFile}`];
  await runProgram({
    command: binaries.initdb,
    args: ['-D', fresh, ...options, ...login],
    user,
    signal,
    timeoutMs: INIT_MS_MAX,
  });
  await runProgram({
    command: binaries.postgres,
    args: ['--single', '-D', fresh, 'postgres'],
    input: `create database ${POSTGRES_NAME}\n`,
    user,
    signal,
    timeoutMs: INIT_MS_MAX,
  });
  await rm(passwordFile);
  await rename(fresh, dir);
}

async function checkCluster(
  dir: string,
  { version }: PostgresBinaries,
  user: ServiceUser | undefined,
): Promise<void> {
  const made = (await readFile(join(dir, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (made === '') {
    throw new EmbeddedError('DATA_DIR_UNUSABLE', `${dir} is not a database, or one that cannot be read`);
  }
  if (made !== version.split('.')[0]) {
    throw new EmbeddedError(
      'DATA_DIR_VERSION',
      `${dir} was made by PostgreSQL ${made}, and this is ${version}: move it away, or run the version that made it`,
    );
  }
  const owner = (await stat(dir)).uid;
  if (owner === (user?.uid ?? process.getuid?.())) return;
  if (user === undefined)
    throw new EmbeddedError('DATA_DIR_UNUSABLE', `${dir} belongs to another user (${owner})`);
  // It was copied or restored by root, or made when the system had another user for it.
  await giveTree(dir, user);
}

async function giveTree(path: string, user: ServiceUser): Promise<void> {
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), user.uid, user.gid);
  }
  // Last, since its owner is what tells whether there is something to do.
  await lchown(path, user.uid, user.gid);
}

async function openPassword(file: string, isNew: boolean): Promise<string> {
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined && kept.trim() !== '') {
    await chmod(file, 0o600);
    return kept.trim();
  }
  if (!isNew)
    throw new EmbeddedError('DATA_DIR_UNUSABLE', `${file}, the password of the database, is missing`);
  const password = randomBytes(24).toString('base64url');
  await writeFile(`${file}.new`, `${password}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return password;
}

async function removeUnfinished(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (name.startsWith('new-cluster-')) await rm(join(home, name), { recursive: true, force: true });
  }
}
