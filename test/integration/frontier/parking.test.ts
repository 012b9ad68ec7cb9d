import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unparkStrandedHosts } from '@decorum/server/frontier/sweep.ts';
import type { GrantedLease } from '@decorum/server/frontier/lease.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { attempt, createTestFrontier, report, type TestFrontier } from '../../support/frontier.ts';

const SITES = 24;

async function finish(f: TestFrontier, leases: readonly GrantedLease[]): Promise<void> {
  for (const lease of leases) {
    await f.complete(
      report(lease, {
        attempts: lease.items.map(({ requestId }) =>
          attempt({ requestId, responseMs: 1, capture: f.capture() }),
        ),
      }),
    );
  }
}

const parked = async (db: TestDatabase) =>
  (await db.admin<{ host: string }[]>`select host from host where parked_on is not null`).length;

/** Counts every row that is written in the tables of queues and hosts; answers a reader of the count. */
async function countWrites(db: TestDatabase): Promise<() => Promise<number>> {
  await db.admin.unsafe(`
    create sequence public.writes minvalue 0 start 0;
    create function public.count_write() returns trigger language plpgsql security definer
      as $$ begin perform nextval('public.writes'); return null; end $$;
  `);
  for (const table of ['host', 'site_queue', 'origin_queue', 'address_slot']) {
    await db.admin.unsafe(`
      create trigger count_write after insert or update or delete on decorum.${table}
        for each row execute function public.count_write()
    `);
  }
  return async () => {
    const [row] = await db.admin<{ n: number }[]>`select last_value::int as n from public.writes`;
    return row?.n ?? 0;
  };
}

test('M2: sites on a crowded address wait parked, four are served at a time, and each gets its turn', async () => {
  await using db = await createTestDatabase();
  const f = await createTestFrontier(db, { search: 'SEARCH' });
  await f.submit(
    'search',
    Array.from({ length: SITES }, (_, i) => `http://s${i}.test/`),
  );
  await f.resolve();
  const served = new Set<string>();
  let rounds = 0;
  for (let leases = await f.lease(SITES); served.size < SITES; leases = await f.lease(SITES)) {
    assert.ok(leases.length <= 4);
    for (const { site } of leases) {
      assert.ok(!served.has(site));
      served.add(site);
    }
    assert.equal(await parked(db), SITES - served.size);
    await finish(f, leases);
    await db.advanceClock(1_001);
    rounds += 1;
    assert.ok(rounds <= SITES / 4 + 1, `round ${rounds}, served ${served.size}`);
  }
});

test('a turn on a crowded address costs as many writes with sixty waiting sites as with twelve', async () => {
  const perTurn: number[] = [];
  for (const sites of [12, 60]) {
    await using db = await createTestDatabase();
    const f = await createTestFrontier(db, { search: 'SEARCH' });
    await f.submit(
      'search',
      Array.from({ length: sites }, (_, i) => [`http://s${i}.test/1`, `http://s${i}.test/2`]).flat(),
    );
    for (let left = sites; left > 0; left -= 50) await f.resolve();
    // All that can be parked is parked once; what is counted is the turns after.
    let leases = await f.lease(100);
    while ((await f.lease(100)).length > 0);
    assert.equal(await parked(db), sites - 4);
    const writes = await countWrites(db);
    const before = await writes();
    for (let turn = 0; turn < 4; turn += 1) {
      const [first, ...rest] = leases;
      assert.ok(first);
      await finish(f, [first]);
      await db.advanceClock(1_001);
      leases = [...rest, ...(await f.lease(1))];
    }
    perTurn.push(((await writes()) - before) / 4);
  }
  const [few = 0, many = 0] = perTurn;
  assert.ok(many <= few + 1, `writes a turn: ${few} with 12 sites, ${many} with 60`);
});

test('a slot whose host does not come goes to the next one', async () => {
  await using db = await createTestDatabase();
  const f = await createTestFrontier(db, { search: 'SEARCH' });
  await f.submit(
    'search',
    Array.from({ length: 6 }, (_, i) => `http://s${i}.test/`),
  );
  await f.resolve();
  const leases = await f.lease(6);
  assert.equal(leases.length, 4);
  const [first] = leases;
  assert.ok(first);
  await finish(f, [first]);
  const [kept] = await db.admin<
    { host: string }[]
  >`select reserved_host as host from address_slot where reserved_host is not null`;
  await db.admin`delete from request where origin = ${`http://${kept?.host ?? ''}`}`;
  await db.advanceClock(5_000);
  await f.lease();
  assert.equal(await unparkStrandedHosts(db.general), 1);
  const [next] = await f.lease();
  assert.ok(next !== undefined && next.host !== kept?.host);
  assert.equal(await parked(db), 0);
});

test('a waiting tenant’s host is drawn by weight, not behind all hosts of another', async () => {
  await using db = await createTestDatabase();
  const f = await createTestFrontier(db, { big: 'SEARCH', small: 'SEARCH' });
  await db.admin`update tenant set weight = 1000 where tenant_id = 'small'`;
  await f.submit(
    'big',
    Array.from({ length: 40 }, (_, i) => `http://s${i}.test/`),
  );
  await f.resolve();
  const leases = await f.lease(50);
  await f.submit('small', ['http://late.test/']);
  await f.resolve();
  await f.lease(50);
  await finish(f, leases.slice(0, 1));
  await db.advanceClock(1_001);
  const [next] = await f.lease();
  assert.equal(next?.host, 'late.test');
});
