import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError } from '@decorum/server/runtime/domain-error.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { attempt, createTestFrontier, report, type TestFrontier } from '../../support/frontier.ts';

async function withFrontier(work: (f: TestFrontier, db: TestDatabase) => Promise<void>) {
  await using db = await createTestDatabase();
  await work(await createTestFrontier(db, { search: 'SEARCH', ml: 'AI_TRAIN' }), db);
}

const statuses = (outcomes: readonly { status: string }[]) => outcomes.map(({ status }) => status);

test('each URL of a batch has its own outcome, in order', async () => {
  await withFrontier(async (f) => {
    const outcomes = await f.submit('search', [
      'http://a.test/1',
      'ftp://a.test/1',
      'http://127.0.0.1/',
      'http://a.test/1#again',
      { url: 'http://a.test/2', band: 9 },
      `http://a.test/${'x/'.repeat(30)}`,
    ]);
    assert.deepEqual(statuses(outcomes), [
      'ACCEPTED',
      'REFUSED',
      'REFUSED',
      'ALREADY_PENDING',
      'REFUSED',
      'REFUSED',
    ]);
    const refusals = outcomes.map((outcome) => (outcome.status === 'REFUSED' ? outcome.refusal.reason : ''));
    assert.deepEqual(refusals, ['', 'INVALID_URL', 'ADDRESS_FORBIDDEN', '', 'INVALID_OPTION', 'TRAP']);
  });
});

test('a repeated batch answers what it was answered; a reused id with another payload is refused', async () => {
  await withFrontier(async (f, db) => {
    const first = await f.submit('search', ['http://a.test/1', 'http://a.test/2'], 'batch-1');
    const again = await f.submit('search', ['http://a.test/1', 'http://a.test/2'], 'batch-1');
    assert.deepEqual(again, first);
    assert.equal((await db.admin`select 1 from request`).length, 2);
    await assert.rejects(
      f.submit('search', ['http://a.test/3'], 'batch-1'),
      (error) => error instanceof DomainError && error.reason === 'REQUEST_ID_REUSED',
    );
    const other = await f.submit('ml', ['http://a.test/1'], 'batch-1');
    assert.deepEqual(statuses(other), ['ACCEPTED'], 'another tenant’s batch ids are its own');
  });
});

test('parallel repeats of one batch accept it once', async () => {
  await withFrontier(async (f, db) => {
    const urls = Array.from({ length: 50 }, (_, i) => `http://s${i % 7}.test/${i}`);
    const answers = await Promise.all(Array.from({ length: 8 }, () => f.submit('search', urls, 'same')));
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.equal((await db.admin`select 1 from request`).length, 50);
  });
});

test('parallel batches with the same URLs accept each URL once and name the winner to the others', async () => {
  await withFrontier(async (f, db) => {
    const urls = Array.from({ length: 40 }, (_, i) => `http://s${i % 5}.test/${i}`);
    const answers = await Promise.all(Array.from({ length: 6 }, () => f.submit('search', urls)));
    const rows = await db.admin<{ requestId: string }[]>`select request_id as "requestId" from request`;
    assert.equal(rows.length, 40);
    for (const place of urls.keys()) {
      const named = answers
        .map((answer) => answer[place])
        .map((o) => (o !== undefined && 'requestId' in o ? o.requestId : ''));
      assert.equal(new Set(named).size, 1);
    }
    assert.equal(answers.flat().filter(({ status }) => status === 'ACCEPTED').length, 40);
  });
});

test('only_if_new knows a URL by its identity, for the tenant that submitted it', async () => {
  await withFrontier(async (f) => {
    await f.submit('search', ['http://a.test/1?b=2&a=1&utm_source=x']);
    const again = await f.submit('search', [{ url: 'http://a.test/1?a=1&b=2', onlyIfNew: true }]);
    assert.deepEqual(statuses(again), ['KNOWN']);
    const other = await f.submit('ml', [{ url: 'http://a.test/1?a=1&b=2', onlyIfNew: true }]);
    assert.deepEqual(statuses(other), ['ACCEPTED']);
    const twice = await f.submit('ml', [
      { url: 'http://a.test/new', onlyIfNew: true },
      { url: 'http://a.test/new', onlyIfNew: true },
    ]);
    assert.deepEqual(statuses(twice), ['ACCEPTED', 'KNOWN']);
  });
});

test('max_age is answered from the archive by another tenant’s young capture, and then its body is the asker’s to read', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1']);
    await f.resolve();
    const [lease] = await f.lease();
    assert.ok(lease);
    const capture = f.capture();
    await f.complete(
      report(lease, { attempts: [attempt({ requestId: lease.items[0]?.requestId ?? '', capture })] }),
    );
    const fresh = await f.submit('ml', [{ url: 'http://a.test/1', maxAgeMs: 60_000 }]);
    assert.deepEqual(statuses(fresh), ['ANSWERED']);
    assert.equal(
      (await db.admin`select 1 from holder where tenant_id = 'ml' and capture_id = ${capture.captureId}`)
        .length,
      1,
    );
    await db.advanceClock(120_000);
    const stale = await f.submit('ml', [{ url: 'http://a.test/1', maxAgeMs: 60_000 }]);
    assert.deepEqual(statuses(stale), ['ACCEPTED']);
  });
});

test('not_before keeps a URL from being leased', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', [{ url: 'http://a.test/1', notBefore: new Date(Date.now() + 30_000) }]);
    await f.resolve();
    assert.deepEqual(await f.lease(), []);
    await db.advanceClock(31_000);
    assert.equal((await f.lease()).length, 1);
  });
});

test('T1: the database shows and takes only the rows of the transaction’s tenant', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1']);
    await db.general.begin(async (sql) => {
      await sql`select set_config('role', 'decorum_tenant', true), set_config('decorum.tenant', 'ml', true)`;
      assert.equal((await sql`select 1 from request`).length, 0);
      assert.equal((await sql`select 1 from tenant`).length, 1);
      await assert.rejects(
        sql.savepoint(
          (inner) =>
            inner`insert into seen (tenant_id, url_key, key_version, seen_at) values ('search', ${Buffer.alloc(16)}, 1, now())`,
        ),
        /row-level security/,
      );
      await assert.rejects(
        sql.savepoint((inner) => inner`select secret_sha256 from api_key`),
        /permission denied/,
      );
    });
    await db.general.begin(async (sql) => {
      await sql`select set_config('role', 'decorum_tenant', true)`;
      assert.equal((await sql`select 1 from request`).length, 0, 'no tenant, no rows');
    });
  });
});
