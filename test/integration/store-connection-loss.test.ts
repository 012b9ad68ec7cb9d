/** The database goes away under load and comes back: callers are told, nothing is thrown past them, and all go on. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '@decorum/server/embedded/start-embedded-postgres.ts';
import { DomainError } from '@decorum/server/runtime/domain-error.ts';
import { createDatabase } from '@decorum/server/store/database.ts';
import { migrate } from '@decorum/server/store/migrate.ts';
import { transact } from '@decorum/server/store/transact.ts';

const CALLERS = 30;

test('kill -9 of Postgres under load: STORE_UNAVAILABLE for all, and after its return everything works again', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'decorum-loss-'));
  const uncaught: unknown[] = [];
  const onUncaught = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', onUncaught);
  try {
    let server = await startEmbeddedPostgres({ dataDir });
    const { port, url } = server;
    await migrate(url);
    await using database = createDatabase(url);
    const pools = [database.general, database.control, database.lease];
    const failures = new Set<string>();
    let done = 0;
    let isStopped = false;
    const callers = Array.from({ length: CALLERS }, async (_, i) => {
      const pool = pools[i % pools.length] ?? database.general;
      while (!isStopped) {
        try {
          await transact(pool, async (sql) => {
            await Promise.all([sql`select 1`, sql`select ${'x'}::text`]);
            await sleep(i % 5);
            await sql`select 2`;
          });
          done += 1;
        } catch (error) {
          failures.add(error instanceof DomainError ? error.reason : String(error));
          await sleep(20);
        }
      }
    });
    await sleep(500);
    const pid = Number(
      (await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8')).split('\n')[0],
    );
    process.kill(pid, 'SIGKILL');
    await server.ended;
    await sleep(1_000);
    await server[Symbol.asyncDispose]();
    server = await startEmbeddedPostgres({ dataDir, port });
    const before = done;
    const endsAt = performance.now() + 30_000;
    while (done < before + 10 * CALLERS && performance.now() < endsAt) await sleep(50);
    isStopped = true;
    await Promise.all(callers);
    assert.ok(done >= before + 10 * CALLERS, `${done - before} transactions after the return`);
    // Every connection of every pool works, not just one that was lucky.
    await Promise.all(
      pools.flatMap((pool) =>
        Array.from({ length: 12 }, () => transact(pool, async (sql) => sql`select pg_sleep(0.05)`)),
      ),
    );
    assert.deepEqual(failures, new Set(['STORE_UNAVAILABLE']));
    assert.deepEqual(uncaught, []);
    await server[Symbol.asyncDispose]();
  } finally {
    process.off('uncaughtException', onUncaught);
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('a statement after the end of its transaction is refused', async () => {
  const { createTestDatabase } = await import('../support/database.ts');
  await using db = await createTestDatabase();
  let escaped: ((...args: never[]) => unknown) | undefined;
  await transact(db.general, async (sql) => {
    escaped = () => sql`select 1`;
  });
  assert.throws(() => escaped?.(), /after the end/);
});
