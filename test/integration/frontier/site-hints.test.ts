import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getSiteHints } from '@decorum/server/frontier/get-site-hints.ts';
import type { GrantedLease } from '@decorum/server/frontier/lease.ts';
import type { RobotsReport } from '@decorum/server/frontier/attempt-report.ts';
import { DomainError } from '@decorum/server/runtime/domain-error.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createTestFrontier, report, type TestFrontier } from '../../support/frontier.ts';

async function withFrontier(work: (f: TestFrontier, db: TestDatabase) => Promise<void>) {
  await using db = await createTestDatabase();
  await work(await createTestFrontier(db, { search: 'SEARCH', ml: 'AI_TRAIN' }), db);
}

function robots(text: string): RobotsReport {
  return {
    outcome: 'FETCHED',
    statusCode: 200,
    content: Buffer.from(text),
    redirectUrl: '',
    maxAgeS: undefined,
    retryAfterS: undefined,
    responseMs: 10,
    endedAgoMs: 0,
  };
}

async function leaseOf(f: TestFrontier, host: string): Promise<GrantedLease> {
  const [lease] = await f.lease();
  assert.equal(lease?.host, host);
  return lease;
}

test('a site’s hints: the sitemaps of all its origins, its delay, and how long the tenant’s requests take', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1', 'http://a.test/2']);
    await f.resolve();
    const first = robots(
      'User-agent: *\nCrawl-delay: 4\nSitemap: http://a.test/map.xml#top\nSitemap: /relative.xml\nSitemap: ftp://a.test/',
    );
    await f.complete(report(await leaseOf(f, 'a.test'), { robots: first }));
    await f.submit('search', ['http://www.a.test/3']);
    await f.resolve();
    await db.admin`update request set due_at = decorum.now() + interval '1 hour' where origin = 'http://a.test'`;
    await db.admin`update origin_queue set next_due_at = 'infinity' where origin = 'http://a.test'`;
    await db.advanceClock(5_000);
    const second = robots('Sitemap: http://a.test/map.xml\nSitemap: https://cdn.test/other.xml');
    await f.complete(report(await leaseOf(f, 'www.a.test'), { robots: second, endLease: false }));

    const hints = await getSiteHints(db.general, 'search', 'WWW.a.test');
    assert.deepEqual(hints, {
      site: 'a.test',
      sitemaps: ['http://a.test/map.xml', 'https://cdn.test/other.xml'],
      delayMs: 4_000,
      drainMs: 8_000,
      pending: 3,
    });
  });
});

test('another tenant is seen in the pace alone', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1', 'http://a.test/2']);
    await f.submit('ml', ['http://a.test/3', 'http://a.test/4', 'http://a.test/5']);
    await db.admin`update tenant set weight = 3 where tenant_id = 'ml'`;
    await f.resolve();
    const search = await getSiteHints(db.general, 'search', 'a.test');
    assert.deepEqual([search.pending, search.drainMs], [2, 7_000], 'a quarter of the site: eight turns');
    const ml = await getSiteHints(db.general, 'ml', 'a.test');
    assert.deepEqual([ml.pending, ml.drainMs], [3, 3_000]);
    assert.equal((await f.lease()).length, 1);
    assert.equal(
      (await getSiteHints(db.general, 'search', 'a.test')).drainMs,
      7_000,
      'also while it is leased',
    );
  });
});

test('a site that nobody asked for has the defaults; what is no host is refused', async () => {
  await withFrontier(async (_f, db) => {
    assert.deepEqual(await getSiteHints(db.general, 'search', 'new.test'), {
      ...{ site: 'new.test', sitemaps: [], delayMs: 1_000, drainMs: 0, pending: 0 },
    });
    await assert.rejects(
      getSiteHints(db.general, 'search', 'http://a.test/'),
      (error) => error instanceof DomainError && error.reason === 'INVALID_HOST' && error.field === 'site',
    );
  });
});
