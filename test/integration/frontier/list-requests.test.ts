import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getQuota } from '@decorum/server/frontier/get-quota.ts';
import { listRequests, type RequestQuery } from '@decorum/server/frontier/list-requests.ts';
import { DomainError } from '@decorum/server/runtime/domain-error.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { attempt, createTestFrontier, report, type TestFrontier } from '../../support/frontier.ts';

async function withFrontier(work: (f: TestFrontier, db: TestDatabase) => Promise<void>) {
  await using db = await createTestDatabase();
  const addresses = { 'away.test': 'none' };
  await work(await createTestFrontier(db, { search: 'SEARCH', ml: 'AI_TRAIN' }, addresses), db);
}

const list = (db: TestDatabase, tenantId: string, query: Partial<RequestQuery> = {}) =>
  listRequests(db.general, tenantId, {
    ...{ site: '', host: '', state: undefined, band: undefined, label: '', pageSize: 100, pageToken: '' },
    ...query,
  });
const urlsOf = async (db: TestDatabase, tenantId: string, query: Partial<RequestQuery> = {}) =>
  (await list(db, tenantId, query)).requests.map(({ url }) => url).sort();

test('a tenant sees its own pending requests, each with what it was asked with', async () => {
  await withFrontier(async (f, db) => {
    const [outcome] = await f.submit('search', [
      { url: 'http://a.test/1', band: 5, reason: 'MONITOR', tier: 'hourly', label: 'x' },
    ]);
    await f.submit('ml', ['http://a.test/other']);
    const { requests, nextPageToken } = await list(db, 'search');
    assert.equal(nextPageToken, '');
    assert.equal(requests.length, 1);
    const { submittedAt, dueAt, deadline, ...request } = requests[0] ?? assert.fail();
    assert.deepEqual(request, {
      requestId: outcome !== undefined && 'requestId' in outcome ? outcome.requestId : '',
      url: 'http://a.test/1',
      state: 'RESOLVING',
      band: 5,
      reason: 'MONITOR',
      tier: 'hourly',
      label: 'x',
      attempts: 0,
    });
    assert.deepEqual(dueAt, submittedAt);
    assert.equal(deadline.getTime() - submittedAt.getTime(), 7 * 86_400_000);
  });
});

test('filters by site, host, band and label, all of which must match', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', [
      { url: 'http://a.test/1', label: 'x', band: 1 },
      { url: 'http://www.a.test/2', label: 'x', band: 2 },
      { url: 'http://b.test/3', label: 'y', band: 0 },
    ]);
    assert.deepEqual(await urlsOf(db, 'search', { site: 'a.test' }), [
      'http://a.test/1',
      'http://www.a.test/2',
    ]);
    assert.deepEqual(await urlsOf(db, 'search', { host: 'WWW.a.test' }), ['http://www.a.test/2']);
    assert.deepEqual(await urlsOf(db, 'search', { band: 0 }), ['http://b.test/3']);
    assert.deepEqual(await urlsOf(db, 'search', { label: 'x', band: 1 }), ['http://a.test/1']);
    assert.deepEqual(await urlsOf(db, 'search', { label: 'y', site: 'a.test' }), []);
    for (const [query, field] of [
      [{ site: 'www.a.test' }, 'site'],
      [{ host: 'http://a.test' }, 'host'],
      [{ state: 'ENDED' }, 'state'],
      [{ pageToken: 'no token' }, 'page_token'],
    ] as const) {
      await assert.rejects(
        list(db, 'search', query),
        (error) => error instanceof DomainError && error.kind === 'invalid' && error.field === field,
      );
    }
  });
});

test('the state follows from the rows: resolving, waiting, leased, and for every tenant whose URL is fetched', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1', 'http://b.test/2', 'http://away.test/3']);
    await f.submit('ml', [
      'http://a.test/1',
      { url: 'http://b.test/2', notBefore: new Date(Date.now() + 3_600_000) },
    ]);
    assert.equal((await urlsOf(db, 'search', { state: 'RESOLVING' })).length, 3);
    await f.resolve();
    const leases = await f.lease();
    assert.equal(leases.length, 2);
    assert.deepEqual(await urlsOf(db, 'search', { state: 'LEASED' }), ['http://a.test/1', 'http://b.test/2']);
    assert.deepEqual(await urlsOf(db, 'search', { state: 'RESOLVING' }), ['http://away.test/3']);
    assert.deepEqual(await urlsOf(db, 'ml', { state: 'LEASED' }), ['http://a.test/1']);
    assert.deepEqual(await urlsOf(db, 'ml', { state: 'WAITING' }), ['http://b.test/2']);

    const lease = leases.find(({ site }) => site === 'a.test') ?? assert.fail();
    const requestId = lease.items[0]?.requestId ?? '';
    const capture = f.capture({ statusCode: 302 });
    const redirectUrl = 'http://c.test/';
    const attempts = [attempt({ requestId, outcome: 'REDIRECTED', capture, redirectUrl })];
    await f.complete(report(lease, { attempts }));
    const { requests } = await list(db, 'ml', { label: '', state: 'WAITING' });
    const moving = requests.find(({ url }) => url === 'http://a.test/1');
    assert.equal(moving?.dueAt, null, 'on its way to where the redirect leads');
  });
});

test('pages follow each other by id without a gap or a repeat, whatever ends between', async () => {
  await withFrontier(async (f, db) => {
    await f.submit(
      'search',
      Array.from({ length: 25 }, (_, i) => `http://s${i % 3}.test/${i}`),
    );
    const seen: string[] = [];
    let pageToken = '';
    let pages = 0;
    do {
      const page = await list(db, 'search', { pageSize: 10, pageToken });
      seen.push(...page.requests.map(({ requestId }) => requestId));
      pageToken = page.nextPageToken;
      pages += 1;
      await db.admin`delete from request where request_id = ${page.requests.at(-1)?.requestId ?? ''}`;
    } while (pageToken !== '');
    assert.equal(pages, 3);
    assert.deepEqual(seen, [...new Set(seen)].sort());
    assert.equal(seen.length, 25);
  });
});

test('a quota shows the limits that are set and the tenant’s own pending requests', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1', 'http://a.test/2']);
    await f.submit('ml', ['http://a.test/3']);
    await db.admin`update tenant set weight = 5, band_max = 6, fetches_per_day = 9 where tenant_id = 'search'`;
    assert.deepEqual(await getQuota(db.general, 'search'), {
      ...{ tenantId: 'search', purpose: 'SEARCH', weight: 5, bandMax: 6 },
      limits: [
        { name: 'pending_requests', limit: null, used: 2 },
        { name: 'fetches_per_day', limit: 9, used: 0 },
      ],
    });
  });
});
