import { access, chmod, constants, copyFile, mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { downloadNatsServer } from './download-nats-server.ts';
import { EmbeddedError } from './embedded-error.ts';
import { isOwn } from './is-own.ts';
import { isReachable } from './is-reachable.ts';
import { openCacheDir } from './open-cache-dir.ts';
import type { DataDir } from './prepare-data-dir.ts';
import { runProgram } from './run-program.ts';

/** A nats-server that the service's user can run. */
export type NatsServerBinary = { path: string; version: string };

/** Older ones refuse `sync_interval`. */
const VERSION_MIN = [2, 10] as const;
/** Where systems install servers, even when it is not on a user's PATH. */
const SYSTEM_DIRS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin'];

/**
 * Finds nats-server 2.10 or newer: on `searchPath`, in `<dataDir>/bin`, in the machine's cache, or by fetching Debian's package into that
 * cache (`download-nats-server.ts`). One that was fetched is kept in `<dataDir>/bin` as well, so that a data directory goes on working when
 * the cache is cleaned. Throws `NO_BINARY`, naming the ways to get one.
 */
export async function findNatsServer(
  data: DataDir,
  { searchPath = '', cacheDir, signal }: { searchPath?: string; cacheDir?: string; signal?: AbortSignal },
): Promise<NatsServerBinary> {
  const own = join(data.path, 'bin/nats-server');
  for (const dir of [...searchPath.split(':'), ...SYSTEM_DIRS]) {
    const found = dir.startsWith('/') ? await check(join(dir, 'nats-server')) : undefined;
    if (found === undefined) continue;
    if (data.user === undefined || (await isReachable(data.user, dir))) return found;
    return { ...found, path: await keep(found.path, own) };
  }
  if (await isOwn(own)) {
    const found = await check(own);
    if (found !== undefined) return found;
  }
  const cache = await openCacheDir(data, cacheDir);
  const cached = join(cache, 'nats-server');
  if (!(await isOwn(cached)) || (await check(cached)) === undefined)
    await download(cached, cache, own, signal);
  const found = await check(cached);
  if (found === undefined) throw new EmbeddedError('NO_BINARY', `${cached} does not run here`);
  return (await check(await keep(cached, own))) ?? found;
}

async function download(
  cached: string,
  cache: string,
  own: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await downloadNatsServer(cached, cache, signal);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new EmbeddedError(
      'NO_BINARY',
      [
        `nats-server ${VERSION_MIN.join('.')} or newer is needed, and Debian's could not be fetched (${String(cause)}). Do one of these:`,
        '  1. install nats-server so that it is on PATH',
        `  2. put its program at ${own}`,
        '  3. set NATS_URL and its credentials to use a server that runs elsewhere',
      ].join('\n'),
      { cause },
    );
  }
}

async function check(path: string): Promise<NatsServerBinary | undefined> {
  try {
    await access(path, constants.X_OK);
    const said = await runProgram({ command: path, args: ['--version'], timeoutMs: 30_000 });
    const [, version, major, minor] = /v((\d+)\.(\d+)\.[\w.+-]+)/.exec(said) ?? [];
    if (version === undefined) return undefined;
    const newer = Number(major) - VERSION_MIN[0] || Number(minor) - VERSION_MIN[1];
    return newer >= 0 ? { path, version } : undefined;
  } catch {
    return undefined;
  }
}

async function keep(from: string, to: string): Promise<string> {
  const fresh = `${to}.${process.pid}`;
  await mkdir(dirname(to), { recursive: true });
  await chmod(dirname(to), 0o755);
  await copyFile(from, fresh, constants.COPYFILE_FICLONE);
  await chmod(fresh, 0o755);
  await rename(fresh, to);
  return to;
}
