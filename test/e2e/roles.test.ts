/**
 * Roles in processes of their own: they find each other through Postgres, NATS and gRPC only, and the death of any costs
 * time and nothing else (D4).
 */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect } from '@decorum/sdk/index.ts';
import { createDirectoryArchive } from '@decorum/server/archive/directory-archive.ts';
import { toSegmentPath } from '@decorum/server/archive/segment-path.ts';
import { verifyArchive } from '@decorum/server/archive/upkeep/verify-archive.ts';
import { findEmbeddedPostgres } from '@decorum/server/embedded/find-embedded-postgres.ts';
import { createDatabase } from '@decorum/server/store/database.ts';
import { loadSegmentRows } from '@decorum/server/store/load-segment-rows.ts';
import { readForeign } from '../support/archive/read-foreign.ts';
import { startPlatform } from '../support/platform.ts';
import { startTestWeb } from '../support/web/start-test-web.ts';

const MAIN = fileURLToPath(new URL('../../server/main.ts', import.meta.url));
const SITES = 8;
const PAGES = 6;
/** Short, so that what a killed worker held is given out again within the test. */
const TIMES = { DECORUM_LEASE_MS: '3000', DECORUM_LOCK_DELAY_MS: '2000', DECORUM_FETCH_TOTAL_MS: '2000' };

function startWorker(env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, [MAIN], {
    env: { ...process.env, ...env, DECORUM_ROLES: 'fetch' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/**
 * D3, D4: when the jobs are done with what the killed processes left, each member has its row and each row its member, and
 * a foreign reader reads every segment to its end and meets a record wherever a row says that one begins.
 */
async function judgeArchive(dataDir: string): Promise<void> {
  await using database = createDatabase((await findEmbeddedPostgres(dataDir)) ?? '');
  const pool = database.general;
  for (;;) {
    const unsettled = await pool`select from segment where orphans_checked_at is null limit 1`;
    if (unsettled.length === 0) break;
    await sleep(200);
  }
  const dir = join(dataDir, 'archive');
  const deps = { pool, archive: createDirectoryArchive(dir) };
  let members = 0;
  for await (const report of verifyArchive(deps, AbortSignal.timeout(60_000))) {
    assert.deepEqual(report.findings, []);
    assert.equal(report.pending, 0);
    const file = join(dir, toSegmentPath(report.segmentId));
    const records = await readForeign(file);
    const last = records.at(-1);
    assert.equal(last === undefined ? 0 : last.offset + last.length, (await stat(file)).size);
    const starts = new Set(records.map(({ offset }) => offset));
    for (const { offset } of await loadSegmentRows(pool, report.segmentId)) assert.ok(starts.has(offset));
    members += records.length;
  }
  assert.ok(members > SITES * PAGES * 3, `${members} members`);
}

test('kill -9 of the fetch process, then of the API’s: every request ends once, and no site saw a second connection', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'decorum-roles-'));
  await using web = await startTestWeb({
    seed: 3,
    sites: Array.from({ length: SITES }, (_, i) => ({
      host: `s${i}.test`,
      addresses: [`127.64.3.${1 + (i % 3)}`],
      robots: { text: 'User-agent: *\nDisallow:\n' },
      pages: { kind: 'generated', count: PAGES },
    })),
  });
  const env = {
    ...TIMES,
    DECORUM_DNS_SERVERS: web.dnsServer,
    DECORUM_ALLOW_ADDRESSES: '127.64.0.0/10',
    DECORUM_LOG_LEVEL: 'error',
    DECORUM_ROLES: 'api,publish,jobs',
  };
  let platform = await startPlatform({ dataDir, env });
  const fetcherKey = (await readFile(join(dataDir, 'fetcher.key'), 'utf8')).trim();
  const workerEnv = () => ({
    ...env,
    DECORUM_DATA_DIR: join(dataDir, 'worker'),
    DECORUM_HTTP_ADDRESS: '127.0.0.1:0',
    DECORUM_ARCHIVE_URL: `file://${dataDir}/archive`,
    DECORUM_URL: platform.url,
    DECORUM_KEY: fetcherKey,
  });
  let worker = startWorker(workerEnv());
  try {
    const key = await platform.createTenant('search', 'SEARCH');
    const grpcAddress = new URL(platform.url).host;
    const urls = Array.from({ length: SITES * PAGES }, (_, i) =>
      web.url(`s${i % SITES}.test`, i < SITES ? '/' : `/page/${Math.floor(i / SITES)}`),
    );
    await using crawl = connect({ url: platform.url, key });
    const accepted = new Set<string>();
    for await (const { requestId } of crawl.submit(urls)) accepted.add(requestId ?? '');
    assert.equal(accepted.size, urls.length);

    const numbers = new Map<string, Set<number>>();
    let killed = 0;
    for await (const result of crawl.results({ group: 'roles' })) {
      result.ack();
      const seen = numbers.get(result.requestId) ?? new Set();
      numbers.set(result.requestId, seen.add(result.number));
      if (killed === 0 && numbers.size >= 6) {
        killed = 1;
        await end(worker, 'SIGKILL');
        worker = startWorker(workerEnv());
      }
      if (killed === 1 && numbers.size >= 20) {
        killed = 2;
        await end(platform.child, 'SIGKILL');
        platform = await startPlatform({ dataDir, env: { ...env, DECORUM_GRPC_ADDRESS: grpcAddress } });
      }
      if (numbers.size === accepted.size) break;
    }
    assert.deepEqual(new Set(numbers.keys()), accepted);
    assert.ok([...numbers.values()].every(({ size }) => size === 1));
    const verdict = await web.report();
    assert.deepEqual(verdict.violations, []);
    await end(worker, 'SIGTERM');
    await judgeArchive(dataDir);
  } finally {
    await end(worker, 'SIGTERM');
    await platform[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  }
});
