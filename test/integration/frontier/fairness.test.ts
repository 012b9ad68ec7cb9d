import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { attempt, createTestFrontier, report, type TestFrontier } from '../../support/frontier.ts';

const SITES = 4;
const LEASE_SECONDS = 25;

/** Leases and completes all that is ready, again and again; answers how many fetches each tenant got. */
async function crawl(f: TestFrontier, db: TestDatabase, fetches: number): Promise<Map<string, number>> {
  const served = new Map<string, number>();
  for (let count = 0; count < fetches;) {
    const leases = await f.lease(20);
    for (const lease of leases) {
      await f.complete(
        report(lease, {
          attempts: lease.items.map(({ requestId }) =>
            attempt({ requestId, responseMs: 1, capture: f.capture() }),
          ),
        }),
      );
      for (const { tenantId } of lease.items) served.set(tenantId, (served.get(tenantId) ?? 0) + 1);
      count += lease.items.length;
    }
    await db.advanceClock(LEASE_SECONDS * 1_000);
    if (leases.length === 0) await f.resolve();
  }
  return served;
}

test('T3: weights 1:2:5 on the same hot sites get their shares within 5 %, whatever their bands', async () => {
  await using db = await createTestDatabase();
  const f = await createTestFrontier(db, { one: 'SEARCH', two: 'SEARCH', five: 'SEARCH' });
  await db.admin`update tenant set weight = case tenant_id when 'one' then 1 when 'two' then 2 else 5 end`;
  const bands = { one: 7, two: 0, five: 3 };
  for (const [tenantId, band] of Object.entries(bands)) {
    for (let site = 0; site < SITES; site += 1) {
      const urls = Array.from({ length: 400 }, (_, i) => ({
        url: `http://s${site}.test/${tenantId}/${i}`,
        band,
      }));
      await f.submit(tenantId, urls);
    }
  }
  const fetches = 1_200;
  const served = await crawl(f, db, fetches);
  const total = [...served.values()].reduce((a, b) => a + b, 0);
  for (const [tenantId, weight] of [
    ['one', 1],
    ['two', 2],
    ['five', 5],
  ] as const) {
    const share = (served.get(tenantId) ?? 0) / total;
    assert.ok(Math.abs(share - weight / 8) <= 0.05 * (weight / 8) + 1 / total, `${tenantId}: ${share}`);
  }
});

test('T3: a newcomer beside a backlog is served within the next batch of its site', async () => {
  await using db = await createTestDatabase();
  const f = await createTestFrontier(db, { old: 'SEARCH', new: 'SEARCH' });
  await f.submit(
    'old',
    Array.from({ length: 1_000 }, (_, i) => `http://s0.test/${i}`),
  );
  await crawl(f, db, 100);
  await f.submit('new', ['http://s0.test/new']);
  const [lease] = await f.lease();
  const place = lease?.items.findIndex(({ tenantId }) => tenantId === 'new') ?? -1;
  assert.ok(place >= 0 && place <= 2, `place ${place}`);
});

test('an idle tenant’s share is used by the others', async () => {
  await using db = await createTestDatabase();
  const f = await createTestFrontier(db, { busy: 'SEARCH', idle: 'SEARCH' });
  await db.admin`update tenant set weight = 100 where tenant_id = 'idle'`;
  await f.submit(
    'busy',
    Array.from({ length: 40 }, (_, i) => `http://s0.test/${i}`),
  );
  await f.resolve();
  const [lease] = await f.lease();
  assert.equal(lease?.items.length, 20);
});
