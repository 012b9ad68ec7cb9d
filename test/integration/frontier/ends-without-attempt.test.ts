import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expireRequests } from '@decorum/server/frontier/expire-requests.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createTestFrontier, type TestFrontier } from '../../support/frontier.ts';

async function withFrontier(
  work: (f: TestFrontier, db: TestDatabase) => Promise<void>,
  addresses: Record<string, string> = {},
) {
  await using db = await createTestDatabase();
  await work(await createTestFrontier(db, { search: 'SEARCH' }, addresses), db);
}

const results = (db: TestDatabase) =>
  db.admin<{ kind: string }[]>`select kind from result order by result_id`;

test('a request ends at its deadline with what it last waited for', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', [{ url: 'http://a.test/1', deadline: new Date(Date.now() + 60_000) }]);
    await db.advanceClock(61_000);
    assert.equal(await expireRequests(db.general), 1);
    assert.equal(await expireRequests(db.general), 0);
    assert.deepEqual(
      (await results(db)).map(({ kind }) => kind),
      ['EXPIRED'],
    );
  });
});

test('a host without an address ends its requests after three tries', async () => {
  await withFrontier(
    async (f, db) => {
      await f.submit('search', ['http://nowhere.test/']);
      for (let i = 0; i < 3; i += 1) {
        assert.equal(await f.resolve(), 1);
        await db.advanceClock(600_000);
      }
      const [result] = await db.admin<{ kind: string; outcome: string }[]>`select kind, outcome from result`;
      assert.deepEqual({ ...result }, { kind: 'FAILED', outcome: 'DNS_FAILED' });
    },
    { 'nowhere.test': 'none' },
  );
});

test('a host with a private address only is never dialled', async () => {
  await withFrontier(
    async (f, db) => {
      await f.submit('search', ['http://inside.test/']);
      await f.resolve();
      assert.deepEqual(
        (await results(db)).map(({ kind }) => kind),
        ['ADDRESS_FORBIDDEN'],
      );
      assert.deepEqual(await f.lease(), []);
    },
    { 'inside.test': '127.0.0.1' },
  );
});
