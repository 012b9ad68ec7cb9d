import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let one: TestDatabase;
let other: TestDatabase;

before(async () => {
  [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
});
after(async () => {
  await Promise.all([one[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
});

test('each database is migrated and its own', async () => {
  await one.admin`insert into tenant (tenant_id, purpose) values ('search', 'SEARCH')`;
  assert.equal((await one.general`select from tenant`).length, 1);
  assert.equal((await other.general`select from tenant`).length, 0);
});

test('the clock runs ahead in one database alone, also in statements that were planned before', async () => {
  const aheadMs = async ({ general }: TestDatabase): Promise<number> => {
    const [row] = await general<{ ms: number }[]>`
      select extract(epoch from decorum.now() - statement_timestamp())::float8 * 1000 as ms
    `;
    return row?.ms ?? Number.NaN;
  };
  assert.equal(await aheadMs(one), 0);
  await one.advanceClock(1_500);
  await one.advanceClock(500);
  assert.equal(await aheadMs(one), 2_000);
  assert.equal(await aheadMs(other), 0);
});
