import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isOwn } from './is-own.ts';
import { isReachable } from './is-reachable.ts';
import type { DataDir } from './prepare-data-dir.ts';

/** Others may read and run what is in the cache (services do), and never write to it. */
const CACHE_MODE = 0o755;

/**
 * The directory of programs that all checkouts of a user on this machine share: `cacheDir`, by default
 * `/var/tmp/decorum-cache-<uid>`. Since anyone may have made that name first, it is used only if it is a directory of ours that
 * nobody else can write to and that services can reach; otherwise `cache` in the data directory takes its place. Whoever adds a
 * program writes it beside and renames it, so that two at once do no harm.
 */
export async function openCacheDir(data: DataDir, cacheDir = defaultCacheDir()): Promise<string> {
  if (await open(cacheDir, data)) return cacheDir;
  const fallback = join(data.path, 'cache');
  await mkdir(fallback, { mode: CACHE_MODE, recursive: true });
  await chmod(fallback, CACHE_MODE);
  return fallback;
}

async function open(cacheDir: string, { user }: DataDir): Promise<boolean> {
  try {
    await mkdir(cacheDir, { mode: CACHE_MODE, recursive: true });
  } catch {
    return false;
  }
  if (!(await isOwn(cacheDir))) return false;
  await chmod(cacheDir, CACHE_MODE);
  return user === undefined || (await isReachable(user, cacheDir));
}

function defaultCacheDir(): string {
  return `/var/tmp/decorum-cache-${process.getuid?.() ?? 0}`;
}
