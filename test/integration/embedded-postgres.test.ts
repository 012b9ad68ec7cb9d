import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import { EmbeddedError } from '@decorum/server/embedded/embedded-error.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '@decorum/server/embedded/start-embedded-postgres.ts';
import postgres from 'postgres';
import { listProcesses, waitUntilGone } from '../support/embedded/list-processes.ts';

/* The tests of this file share one data directory and follow one another: each starts from what the last one left. */

let dataDir = '';
let server: EmbeddedPostgres;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'decorum-postgres-'));
  await chmod(dataDir, 0o755);
  server = await startEmbeddedPostgres({ dataDir });
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

async function restart(options: { port?: number } = {}): Promise<void> {
  await server[Symbol.asyncDispose]();
  server = await startEmbeddedPostgres({ dataDir, ...options });
}

async function ask(query: string, url = server.url): Promise<postgres.Row[]> {
  const sql = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => undefined });
  try {
    return await sql.unsafe(query);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function postmaster(): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8'), 10);
}

test('a first start makes a UTF8 database that sorts by bytes and does not trade durability for speed', async () => {
  const [row] = await ask(`
    select current_setting('server_encoding') as encoding, datcollate as collation, current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as commit, current_setting('full_page_writes') as pages,
      current_setting('max_connections')::int as connections, rolsuper as is_superuser, current_database() as database
    from pg_database join pg_roles on rolname = current_user where datname = current_database()`);
  assert.deepEqual(
    { ...row },
    {
      encoding: 'UTF8',
      collation: 'C',
      fsync: 'on',
      commit: 'on',
      pages: 'on',
      connections: 200,
      is_superuser: true,
      database: 'decorum',
    },
  );
  assert.equal((await ask('show server_version'))[0]?.['server_version'], server.version);
  assert.equal(server.version.split('.')[0], '18');
});

test('only 127.0.0.1 is listened on, and only the password opens', async () => {
  const [row] = await ask(`
    select current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
      (select string_agg(distinct auth_method, ',') from pg_hba_file_rules) as methods`);
  assert.deepEqual({ ...row }, { addresses: '127.0.0.1', sockets: '', methods: 'scram-sha-256' });
  const guess = new URL(server.url);
  guess.password = 'guess';
  await assert.rejects(ask('select 1', guess.href), { code: '28P01' });
  assert.equal((await stat(join(dataDir, 'postgres/password'))).mode & 0o777, 0o600);
});

test('the server does not run as root', async () => {
  const servers = (await listProcesses(dataDir)).filter(({ command }) => !command.includes('guardian.ts'));
  assert.ok(servers.length > 3, 'the postmaster and its processes');
  const expected =
    process.getuid?.() === 0 ? (uid: number) => uid > 0 : (uid: number) => uid === process.getuid?.();
  for (const { uid, command } of servers) assert.ok(expected(uid), `${command} runs as ${uid}`);
});

test('statements and keys, which hold URLs, do not get into the log', async () => {
  await ask('create table secret (url text primary key)');
  await ask(`insert into secret values ('https://hidden.test/a')`);
  await assert.rejects(ask(`insert into secret values ('https://hidden.test/a')`), { code: '23505' });
  const log = await readFile(join(dataDir, 'postgres/log'), 'utf8');
  assert.match(log, /duplicate key value/);
  assert.doesNotMatch(log, /hidden\.test/);
});

test('a second platform on the same data is refused and told whose it is', async () => {
  await assert.rejects(startEmbeddedPostgres({ dataDir }), (error) => {
    assert.ok(error instanceof EmbeddedError);
    assert.equal(error.reason, 'DATA_DIR_IN_USE');
    assert.equal(error.pid, process.pid);
    assert.match(error.message, new RegExp(String(process.pid)));
    return true;
  });
  assert.equal((await ask('select 1 as one'))[0]?.['one'], 1);
});

test('a restart keeps data, password and port', async () => {
  const { url } = server;
  await ask('create table kept as select 42 as answer');
  await restart();
  assert.equal(server.url, url);
  assert.equal((await ask('select answer from kept'))[0]?.['answer'], 42);
});

test('a killed server is reported, and the next start recovers what was committed', async () => {
  await ask('insert into kept values (43)');
  process.kill(await postmaster(), 'SIGKILL');
  assert.deepEqual(await server.ended, { code: null, signal: 'SIGKILL' });
  await restart();
  assert.equal((await ask('select count(*)::int as n from kept'))[0]?.['n'], 2);
});

test('a killed guardian takes its server along', async () => {
  const guardian = (await listProcesses(dataDir)).find(({ command }) => command.includes('guardian.ts'));
  process.kill(guardian?.pid ?? assert.fail('no guardian'), 'SIGKILL');
  await server.ended;
  await waitUntilGone(dataDir);
  await restart();
  assert.equal((await ask('select count(*)::int as n from kept'))[0]?.['n'], 2);
});

test('a left-over lock file whose pid is now another program is no hindrance', async () => {
  const file = join(dataDir, 'postgres/cluster/postmaster.pid');
  const left = await readFile(file, 'utf8');
  const { uid, gid } = await stat(file);
  await server[Symbol.asyncDispose]();
  // PostgreSQL takes the file for live only when the pid is a process of its own user.
  const other = spawn('sleep', ['60'], { uid, gid, cwd: '/' });
  await once(other, 'spawn');
  try {
    await writeFile(file, left.replace(/^\d+/, String(other.pid)));
    await chown(file, uid, gid);
    server = await startEmbeddedPostgres({ dataDir });
    assert.equal((await ask('select count(*)::int as n from kept'))[0]?.['n'], 2);
    assert.ok(other.exitCode === null && other.signalCode === null, 'the other program was left alone');
  } finally {
    other.kill('SIGKILL');
  }
});

test('a port that was asked for and is taken is an error; one that was only remembered is replaced', async () => {
  const before = server.port;
  await server[Symbol.asyncDispose]();
  const squatter = createServer().listen(before, '127.0.0.1');
  await once(squatter, 'listening');
  try {
    await assert.rejects(startEmbeddedPostgres({ dataDir, port: before }), { reason: 'PORT_IN_USE' });
    server = await startEmbeddedPostgres({ dataDir });
    assert.notEqual(server.port, before);
    assert.equal((await ask('select 1 as one'))[0]?.['one'], 1);
  } finally {
    squatter.close();
  }
});

test('a start that is given up leaves nothing running and gives the lock back', async () => {
  await server[Symbol.asyncDispose]();
  const reason = new Error('enough');
  await assert.rejects(startEmbeddedPostgres({ dataDir, signal: AbortSignal.abort(reason) }), reason);
  assert.deepEqual(await listProcesses(dataDir), []);
  server = await startEmbeddedPostgres({ dataDir });
});

test('a first start that is given up while the database is being made leaves nothing running', async () => {
  const other = await mkdtemp(join(tmpdir(), 'decorum-postgres-'));
  const abort = new AbortController();
  const start = startEmbeddedPostgres({ dataDir: other, signal: abort.signal });
  const initdb = async (): Promise<boolean> =>
    (await listProcesses(other)).some(({ command }) => command.includes('initdb'));
  while (!(await initdb())) await sleep(5);
  abort.abort(new Error('enough'));
  await assert.rejects(start, /enough/);
  await waitUntilGone(other);
  await rm(other, { recursive: true });
});

test('data of another major version, or without its password, is refused with what to do', async () => {
  await server[Symbol.asyncDispose]();
  const version = join(dataDir, 'postgres/cluster/PG_VERSION');
  await writeFile(version, '15\n');
  await assert.rejects(startEmbeddedPostgres({ dataDir }), {
    reason: 'DATA_DIR_VERSION',
    message: /PostgreSQL 15/,
  });
  await writeFile(version, '18\n');
  const password = await readFile(join(dataDir, 'postgres/password'));
  await rm(join(dataDir, 'postgres/password'));
  await assert.rejects(startEmbeddedPostgres({ dataDir }), {
    reason: 'DATA_DIR_UNUSABLE',
    message: /password/,
  });
  await writeFile(join(dataDir, 'postgres/password'), password);
  server = await startEmbeddedPostgres({ dataDir });
});
