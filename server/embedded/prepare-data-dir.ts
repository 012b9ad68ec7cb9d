/**
 * Where the data of embedded services lives. Normally that is the data directory itself. When we are root, services run as an
 * unprivileged user, who cannot reach anything below a home that is closed to others (`/root`): then the data lives in
 * `/var/tmp/decorum-<random>`, and the data directory is a symbolic link to it.
 *
 * The link is the only thing that remembers the place: a project that is moved takes its data along, one whose link is deleted
 * starts afresh, a new clone at an old path never meets another one's data. When the place has vanished (a cleaned `/var/tmp`) it is
 * made again, empty; where the system deletes what lay there for weeks, data that is to last belongs below a directory that other
 * users may enter. A link that someone else made, say to another disk, is followed, and is an error when it leads nowhere.
 */
import { randomBytes } from 'node:crypto';
import {
  access,
  chmod,
  constants,
  lstat,
  mkdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  unlink,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { EmbeddedError } from './embedded-error.ts';
import { isOwn } from './is-own.ts';
import { isReachable } from './is-reachable.ts';
import { findServiceUser, type ServiceUser } from './service-user.ts';

/** Where data directories are moved to that a service could not reach: writable on every system, and kept over a restart. */
const RELOCATION_ROOT = '/var/tmp';
const RELOCATED_NAME = /^decorum-[0-9a-f]{16}$/;
/** A reachable data directory: only root writes and lists it, the service's user may pass through to its own part. */
const PASSABLE = 0o711;

/** A data directory that exists. */
export type DataDir = {
  /** Without symbolic links. */
  path: string;
  /** Who embedded services run as, and who can reach `path`; absent when they run as we do. */
  user: ServiceUser | undefined;
};

/**
 * Makes sure that a data directory exists and that embedded services can reach it. Everything that keeps files in a data directory
 * goes through here first. Idempotent, also when two do it at once. Throws `DATA_DIR_UNUSABLE` or `NO_SERVICE_USER`.
 */
export async function prepareDataDir(dataDir: string, relocationRoot = RELOCATION_ROOT): Promise<DataDir> {
  const user = await findServiceUser();
  const wanted = resolve(dataDir);
  await mkdir(dirname(wanted), { recursive: true });
  // The parent may itself be reached by links; what counts is where it is.
  const path = join(await realpath(dirname(wanted)), basename(wanted));
  // Each round repairs one thing, or finds that someone else just did.
  for (let round = 0; round < 5; round++) {
    const found = await lookAt(path, relocationRoot);
    if (found === 'ready' && (await isPassable(user, path))) return { path: await realpath(path), user };
    if (found === 'ready') await moveAway(path, relocationRoot);
    else if (found === 'lost') await unlink(path);
    else if (found === 'moving') await rename(movingLink(path), path);
    else if (user === undefined) await mkdir(path, { mode: 0o700, recursive: true });
    else if (await isReachable(user, dirname(path))) await mkdir(path, { mode: PASSABLE, recursive: true });
    else await linkTo(path, relocationRoot);
  }
  throw new EmbeddedError(
    'DATA_DIR_UNUSABLE',
    `${path} cannot be made reachable for user ${user?.name ?? ''}`,
  );
}

/**
 * `lost`: a link of ours whose target vanished, or was replaced by someone else who may write to
 * /var/tmp. `moving`: moved away, but the link is not in place yet.
 */
async function lookAt(
  path: string,
  relocationRoot: string,
): Promise<'missing' | 'moving' | 'lost' | 'ready'> {
  const link = await lstat(path).catch(() => undefined);
  if (link === undefined) return (await stat(movingLink(path)).catch(() => undefined)) ? 'moving' : 'missing';
  const target = await stat(path).catch(() => undefined);
  if (link.isSymbolicLink()) {
    const to = resolve(dirname(path), await readlink(path));
    const isOurs = dirname(to) === resolve(relocationRoot) && RELOCATED_NAME.test(basename(to));
    if (isOurs && (target === undefined || !(await isOwn(to)))) return 'lost';
    if (target === undefined) throw unusable(path, `is a link to ${to}, which does not exist`);
  }
  if (target?.isDirectory() !== true) throw unusable(path, 'is not a directory');
  await access(path, constants.W_OK | constants.X_OK).catch((cause: unknown) => {
    throw unusable(path, 'belongs to another user', cause);
  });
  return 'ready';
}

async function isPassable(user: ServiceUser | undefined, path: string): Promise<boolean> {
  if (user === undefined) return true;
  const real = await realpath(path);
  if (!(await isReachable(user, dirname(real)))) return false;
  if (!(await isReachable(user, real))) await chmod(real, (await stat(real)).mode | 0o011);
  return true;
}

async function moveAway(path: string, relocationRoot: string): Promise<void> {
  if ((await lstat(path)).isSymbolicLink()) {
    throw unusable(path, `leads to ${await realpath(path)}, which unprivileged services cannot reach`);
  }
  const place = await createPlace(relocationRoot);
  await rm(movingLink(path), { force: true });
  await symlink(place, movingLink(path));
  try {
    await rename(path, place);
  } catch (cause) {
    await rm(movingLink(path), { force: true });
    await rm(place, { recursive: true, force: true });
    const how = `unprivileged services cannot reach it, and it cannot be moved to ${relocationRoot}`;
    throw unusable(path, `${how}; move it to a place that other users may enter`, cause);
  }
  await rename(movingLink(path), path);
}

/** Made before a directory with data is moved, so that a crash in between does not lose it. */
function movingLink(path: string): string {
  return `${path}.moving`;
}

async function linkTo(path: string, relocationRoot: string): Promise<void> {
  const place = await createPlace(relocationRoot);
  try {
    await symlink(place, path);
  } catch (error) {
    await rm(place, { recursive: true, force: true });
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

async function createPlace(relocationRoot: string): Promise<string> {
  const place = join(resolve(relocationRoot), `decorum-${randomBytes(8).toString('hex')}`);
  await mkdir(place, { mode: PASSABLE });
  await chmod(place, PASSABLE);
  return place;
}

function unusable(path: string, why: string, cause?: unknown): EmbeddedError {
  return new EmbeddedError('DATA_DIR_UNUSABLE', `the data directory ${path} ${why}`, { cause });
}
