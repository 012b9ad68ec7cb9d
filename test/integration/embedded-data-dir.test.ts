import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { isReachable } from '@decorum/server/embedded/is-reachable.ts';
import { lockDir } from '@decorum/server/embedded/lock-dir.ts';
import { openCacheDir } from '@decorum/server/embedded/open-cache-dir.ts';
import { prepareDataDir } from '@decorum/server/embedded/prepare-data-dir.ts';

const ROOT_ONLY = process.getuid?.() === 0 ? {} : { skip: 'only root has services run as another user' };

/** `open` is a directory that everyone may enter, with `closed` (0700) and `places` (for relocated data) in it. */
let open = '';
let closed = '';
let places = '';

beforeEach(async () => {
  open = await mkdtemp(join(tmpdir(), 'decorum-data-'));
  await chmod(open, 0o755);
  closed = join(open, 'closed');
  places = join(open, 'places');
  await mkdir(closed, { mode: 0o700 });
  await mkdir(places);
});
afterEach(async () => {
  await rm(open, { recursive: true, force: true });
});

test('a lock is held by one, and is free again when it was given back', async () => {
  const lock = await lockDir(open);
  await assert.rejects(lockDir(open), { reason: 'DATA_DIR_IN_USE', pid: process.pid });
  await lock[Symbol.asyncDispose]();
  const again = await lockDir(open);
  await again[Symbol.asyncDispose]();
});

test('of many that want a lock at once, exactly one gets it, also after a crash', async () => {
  for (let round = 0; round < 20; round++) {
    const tries = await Promise.allSettled(Array.from({ length: 10 }, async () => lockDir(open)));
    const won = tries.filter((it) => it.status === 'fulfilled');
    assert.equal(won.length, 1);
    // Every other time the winner leaves the claim of a process that is gone, as a crash does.
    await won[0]?.value[Symbol.asyncDispose]();
    if (round % 2 === 0) await replaceClaim(`${2 ** 30} gone`);
  }
  assert.ok(
    (await readdir(open)).filter((name) => name.startsWith('lock.')).length < 5,
    'old claims are removed',
  );
});

test('the lock of a killed process is free, and that of a living one is not', async () => {
  const holder = fork(new URL('../support/embedded/lock-holder.ts', import.meta.url), [open]);
  const exit = once(holder, 'exit');
  await once(holder, 'message');
  await assert.rejects(lockDir(open), { reason: 'DATA_DIR_IN_USE', pid: holder.pid });
  holder.kill('SIGKILL');
  await exit;
  const lock = await lockDir(open);
  await lock[Symbol.asyncDispose]();
});

test('a pid that was used again does not hold the lock of its predecessor', async () => {
  await symlink(`${process.pid} another-start`, join(open, 'lock.7'));
  const lock = await lockDir(open);
  await lock[Symbol.asyncDispose]();
});

test('a data directory that services can reach is used where it is', async () => {
  const path = join(open, 'a/b/data');
  const data = await prepareDataDir(path, places);
  assert.equal(data.path, path);
  assert.deepEqual(await readdir(places), []);
  if (data.user !== undefined) assert.ok(await isReachable(data.user, path));
});

test('a file in its place, or a link to nowhere that is not ours, is an error', async () => {
  await writeFile(join(open, 'file'), '');
  await assert.rejects(prepareDataDir(join(open, 'file'), places), {
    reason: 'DATA_DIR_UNUSABLE',
    message: /not a dir/,
  });
  await symlink('/nowhere/at/all', join(open, 'link'));
  await assert.rejects(prepareDataDir(join(open, 'link'), places), { message: /does not exist/ });
});

test('below a closed directory the data lives elsewhere, behind a link', ROOT_ONLY, async () => {
  const path = join(closed, '.data');
  const [data, same] = await Promise.all([prepareDataDir(path, places), prepareDataDir(path, places)]);
  assert.equal(data.path, same.path);
  assert.equal(await readlink(path), data.path);
  assert.equal(dirname(data.path), places);
  assert.deepEqual(await readdir(places), [basename(data.path)], 'the one that lost the race left nothing');
  assert.ok(data.user !== undefined && (await isReachable(data.user, data.path)));
});

test(
  'data that is already there moves along when its project went below a closed directory',
  ROOT_ONLY,
  async () => {
    const path = join(closed, '.data');
    await mkdir(path);
    await writeFile(join(path, 'kept'), 'kept');
    const data = await prepareDataDir(path, places);
    assert.ok((await lstat(path)).isSymbolicLink());
    assert.deepEqual(await readdir(data.path), ['kept']);
    assert.deepEqual(await readdir(closed), ['.data']);
  },
);

test('data whose move was interrupted is found again', ROOT_ONLY, async () => {
  const place = join(places, 'decorum-0123456789abcdef');
  await mkdir(place);
  await writeFile(join(place, 'kept'), 'kept');
  await symlink(place, join(closed, '.data.moving'));
  const data = await prepareDataDir(join(closed, '.data'), places);
  assert.deepEqual(await readdir(data.path), ['kept']);
});

test(
  'a moved project takes its data along; what is made anew at its old place starts afresh',
  ROOT_ONLY,
  async () => {
    const first = await prepareDataDir(join(closed, '.data'), places);
    const moved = join(open, 'moved');
    await rename(closed, moved);
    assert.equal((await prepareDataDir(join(moved, '.data'), places)).path, first.path);
    await mkdir(closed, { mode: 0o700 });
    assert.notEqual((await prepareDataDir(join(closed, '.data'), places)).path, first.path);
  },
);

test('a place that vanished, or that another user took, is made anew', ROOT_ONLY, async () => {
  const path = join(closed, '.data');
  const first = await prepareDataDir(path, places);
  await rm(first.path, { recursive: true });
  const second = await prepareDataDir(path, places);
  assert.deepEqual(await readdir(second.path), []);
  await rm(second.path, { recursive: true });
  await mkdir(second.path);
  await chown(second.path, 65_534, 65_534);
  const third = await prepareDataDir(path, places);
  assert.notEqual(third.path, second.path);
  assert.equal((await stat(third.path)).uid, 0);
});

test('the cache is used only when nobody else can write to it', async () => {
  const data = await prepareDataDir(join(open, 'data'), places);
  const cache = join(open, 'cache');
  assert.equal(await openCacheDir(data, cache), cache);
  await chmod(cache, 0o777);
  assert.equal(await openCacheDir(data, cache), join(data.path, 'cache'));
  await symlink(places, join(open, 'linked'));
  assert.equal(await openCacheDir(data, join(open, 'linked')), join(data.path, 'cache'));
});

test('a cache that services cannot reach is not used', ROOT_ONLY, async () => {
  const data = await prepareDataDir(join(open, 'data'), places);
  assert.equal(await openCacheDir(data, join(closed, 'cache')), join(data.path, 'cache'));
});

async function replaceClaim(holder: string): Promise<void> {
  const names = (await readdir(open)).filter((name) => name.startsWith('lock.'));
  const numbers = names.map((name) => Number(name.slice(5)));
  await symlink(holder, join(open, `lock.${Math.max(...numbers) + 1}`));
}
