import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RobotsReport } from '@decorum/server/frontier/attempt-report.ts';
import { AHEAD_COUNTED_MAX, explainUrl } from '@decorum/server/frontier/explain-url.ts';
import type { GrantedLease } from '@decorum/server/frontier/lease.ts';
import { moveTransfers } from '@decorum/server/frontier/move-transfers.ts';
import { sweepExpiredLeases } from '@decorum/server/frontier/sweep.ts';
import { countRequestsAhead } from '@decorum/server/store/count-requests-ahead.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import {
  attempt,
  createTestFrontier,
  exempt,
  LEASE_MS,
  report,
  type TestFrontier,
} from '../../support/frontier.ts';

const LOCK_DELAY_MS = 60_000;

async function withFrontier(work: (f: TestFrontier, db: TestDatabase) => Promise<void>) {
  await using db = await createTestDatabase();
  const addresses = { 'away.test': 'none' };
  await work(await createTestFrontier(db, { search: 'SEARCH', ml: 'AI_TRAIN' }, addresses), db);
}

const explain = (db: TestDatabase, url: string, tenantId = 'search') =>
  explainUrl(
    { pool: db.general, productToken: 'decorumbot', lockDelayMs: LOCK_DELAY_MS, exempt },
    tenantId,
    url,
  );
const reasons = async (db: TestDatabase, url: string, tenantId?: string) =>
  (await explain(db, url, tenantId)).waits.map(({ reason }) => reason);

async function leaseOne(f: TestFrontier): Promise<GrantedLease> {
  const [lease] = await f.lease();
  assert.ok(lease);
  return lease;
}

function robots(over: Partial<RobotsReport>): RobotsReport {
  return {
    outcome: 'FETCHED',
    statusCode: 200,
    content: new Uint8Array(),
    redirectUrl: '',
    maxAgeS: undefined,
    retryAfterS: undefined,
    responseMs: 10,
    endedAgoMs: 0,
    ...over,
  };
}

test('a URL that Submit would refuse is explained by its refusal', async () => {
  await withFrontier(async (_f, db) => {
    const trap = await explain(db, `http://www.a.test/${'x/'.repeat(30)}#top`);
    assert.equal(trap.refusal, 'TRAP');
    assert.equal(trap.site, 'a.test');
    assert.equal(trap.canonicalUrl, `http://www.a.test/${'x/'.repeat(30)}`);
    assert.equal((await explain(db, 'http://127.0.0.1/')).refusal, 'ADDRESS_FORBIDDEN');
    const text = await explain(db, 'no URL');
    assert.deepEqual([text.refusal, text.canonicalUrl, text.site], ['INVALID_URL', '', '']);
  });
});

test('a URL is followed from before its Submit to its result', async () => {
  await withFrontier(async (f, db) => {
    const url = 'http://www.a.test/1';
    const before = await explain(db, `${url}#fragment`);
    assert.equal(before.canonicalUrl, url);
    assert.equal(before.request, undefined);
    assert.deepEqual(
      before.waits.map(({ reason }) => reason),
      ['DNS'],
    );

    const [outcome] = await f.submit('search', [url]);
    const requestId = outcome !== undefined && 'requestId' in outcome ? outcome.requestId : '';
    assert.deepEqual((await explain(db, url)).request?.state, 'RESOLVING');
    await f.resolve();
    const ready = await explain(db, url);
    assert.deepEqual([ready.request?.requestId, ready.request?.state], [requestId, 'WAITING']);
    assert.deepEqual([ready.waits, ready.requestsAhead, ready.estimatedWaitMs], [[], 0, 0]);

    const lease = await leaseOne(f);
    assert.equal((await explain(db, url)).request?.state, 'LEASED');
    assert.deepEqual(await reasons(db, 'http://a.test/other'), ['DNS', 'SITE_LEASED', 'QUEUE_POSITION']);

    const slow = attempt({ requestId, capture: f.capture(), responseMs: 20_000, totalMs: 20_000 });
    await f.complete(report(lease, { attempts: [slow] }));
    const after = await explain(db, url);
    assert.equal(after.request, undefined);
    assert.equal(after.lastResultRequestId, requestId);
    assert.ok(after.lastCapturedAt !== undefined);
    assert.deepEqual(
      after.waits.map(({ reason }) => reason),
      ['SITE_DELAY'],
    );
    const [gate] = await db.admin<{ ms: number }[]>`
      select extract(epoch from ready_at)::float8 * 1000 as ms from site where site = 'a.test'
    `;
    assert.equal(after.waits[0]?.untilMs, gate?.ms);
  });
});

test('T1: another tenant’s request, result and capture are not shown', async () => {
  await withFrontier(async (f, db) => {
    const url = 'http://a.test/1';
    await f.submit('search', [url]);
    await f.resolve();
    const lease = await leaseOne(f);
    const leased = await explain(db, url, 'ml');
    assert.equal(leased.request, undefined);
    const requestId = lease.items[0]?.requestId ?? '';
    await f.complete(report(lease, { attempts: [attempt({ requestId, capture: f.capture() })] }));
    const after = await explain(db, url, 'ml');
    assert.deepEqual([after.lastResultRequestId, after.lastCapturedAt], [undefined, undefined]);
  });
});

test('requests ahead: the own ones by band and time, of others what their weight lets go meanwhile', async () => {
  await withFrontier(async (f, db) => {
    await db.admin`update tenant set weight = 2 where tenant_id = 'ml'`;
    await f.submit('search', ['http://a.test/1', { url: 'http://a.test/urgent', band: 7 }]);
    await f.submit('search', ['http://www.a.test/2']);
    await f.submit('search', [{ url: 'http://a.test/bulk', band: 0 }]);
    await f.resolve();
    assert.equal((await explain(db, 'http://a.test/urgent')).requestsAhead, 0);
    assert.equal((await explain(db, 'http://www.a.test/2')).requestsAhead, 2);
    assert.equal((await explain(db, 'http://a.test/new')).requestsAhead, 3, 'as if submitted now');

    const others = Array.from({ length: 7 }, (_, i) => `http://a.test/ml/${i}`);
    await f.submit('ml', others);
    const alone = await explain(db, 'http://a.test/urgent');
    assert.equal(alone.requestsAhead, 2, 'one of ours, at most two of a tenant with twice the weight');
    assert.equal(alone.estimatedWaitMs, 2_000);
    assert.equal((await explain(db, 'http://www.a.test/2')).requestsAhead, 2 + 6);
    assert.equal((await explain(db, 'http://a.test/bulk')).requestsAhead, 3 + 7);
    const place = { tenantId: 'search', site: 'a.test', band: 0, requestId: null };
    assert.equal(await countRequestsAhead(db.general, place, 5), 5, 'counted up to a bound');
    assert.equal(AHEAD_COUNTED_MAX, 10_000);
  });
});

test('its own time, its name, a suspended tenant', async () => {
  await withFrontier(async (f, db) => {
    const notBefore = new Date(Date.now() + 3_600_000);
    await f.submit('search', [{ url: 'http://a.test/later', notBefore }, 'http://away.test/']);
    await f.resolve();
    const later = await explain(db, 'http://a.test/later');
    assert.deepEqual(
      later.waits.map(({ reason, untilMs }) => [reason, untilMs]),
      [['NOT_BEFORE', notBefore.getTime()]],
    );
    const away = await explain(db, 'http://away.test/');
    assert.deepEqual(
      away.waits.map(({ reason, untilMs }) => [reason, untilMs !== undefined]),
      [['DNS', true]],
    );
    await db.admin`update tenant set suspended_at = now(), suspended_reason = 'unpaid' where tenant_id = 'search'`;
    const suspended = await explain(db, 'http://a.test/later');
    assert.deepEqual(
      suspended.waits.map(({ reason }) => reason),
      ['PAUSE', 'NOT_BEFORE'],
    );
    assert.match(suspended.waits[0]?.detail ?? '', /unpaid/);
    assert.equal(suspended.estimatedWaitMs, undefined);
  });
});

test('M7: a lost lease is waited for until its lock delay is over, before and after the sweep', async () => {
  await withFrontier(async (f, db) => {
    const url = 'http://a.test/1';
    await f.submit('search', [url]);
    await f.resolve();
    await leaseOne(f);
    await db.advanceClock(LEASE_MS + 1_000);
    const before = (await explain(db, url)).waits;
    assert.deepEqual(
      before.map(({ reason }) => reason),
      ['LOCK_DELAY'],
    );
    assert.equal(await sweepExpiredLeases(db.general, LOCK_DELAY_MS), 1);
    const after = (await explain(db, url)).waits;
    assert.deepEqual(
      after.map(({ reason }) => reason),
      ['LOCK_DELAY'],
    );
    assert.ok(Math.abs((after[0]?.untilMs ?? 0) - (before[0]?.untilMs ?? 0)) < 1);
    await db.advanceClock(LOCK_DELAY_MS);
    assert.deepEqual(await reasons(db, url), []);
  });
});

test('M2: sites on an address whose four slots are leased wait for one, until theirs is kept for them', async () => {
  await withFrontier(async (f, db) => {
    const urls = Array.from({ length: 6 }, (_, i) => `http://s${i}.test/`);
    await f.submit('search', urls);
    await f.resolve();
    const leases = await f.lease();
    assert.equal(leases.length, 4);
    const left = urls.filter((url) => !leases.some(({ host }) => url.includes(host)));
    for (const url of left) assert.deepEqual(await reasons(db, url), ['ADDRESS_SLOTS']);

    const [ended] = leases;
    assert.ok(ended);
    const attempts = ended.items.map(({ requestId }) => attempt({ requestId, capture: f.capture() }));
    await db.admin`update address set slot_spacing_ms = 60000`;
    await f.complete(report(ended, { attempts }));
    const explained = await Promise.all(left.map((url) => explain(db, url)));
    const until = explained.map(({ waits }) =>
      waits.map(({ reason, untilMs }) => [reason, untilMs !== undefined]),
    );
    assert.deepEqual(until.sort(), [[['ADDRESS_SLOTS', false]], [['ADDRESS_SLOTS', true]]]);
    await db.advanceClock(60_001);
    const after = await Promise.all(left.map((url) => reasons(db, url)));
    assert.deepEqual(after.sort(), [[], ['ADDRESS_SLOTS']], 'the free slot is the other host’s');
  });
});

test('robots.txt: unreachable is waited for; a line that forbids is quoted', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1', 'http://b.test/private/1']);
    await f.submit('ml', ['http://b.test/2']);
    await f.resolve();
    for (const lease of await f.lease()) {
      const down = robots({ outcome: 'HTTP_RETRYABLE', statusCode: 500 });
      const rules = robots({
        content: Buffer.from(
          'User-agent: *\nDisallow: /private\n\nUser-agent: decorumbot-ai-train\nDisallow: /2\n',
        ),
      });
      await f.complete(report(lease, { robots: lease.site === 'a.test' ? down : rules }));
    }
    await db.advanceClock(5_000);
    const waits = (await explain(db, 'http://a.test/1')).waits;
    assert.deepEqual(
      waits.map(({ reason }) => reason),
      ['ROBOTS'],
    );
    assert.ok((waits[0]?.untilMs ?? 0) > Date.now());
    assert.match(
      (await explain(db, 'http://b.test/private/1')).detail,
      /^robots\.txt forbids it, line 2: Disallow: \/private$/,
    );
    assert.equal((await explain(db, 'http://b.test/2')).detail, '');
    assert.match(
      (await explain(db, 'http://b.test/2', 'ml')).detail,
      /^robots\.txt refuses it to AI_TRAIN, line 5/,
    );
  });
});

test('a request that a redirect leads on is found on its way, then where it is', async () => {
  await withFrontier(async (f, db) => {
    const url = 'http://a.test/1';
    await f.submit('search', [url]);
    await f.resolve();
    const lease = await leaseOne(f);
    const requestId = lease.items[0]?.requestId ?? '';
    const capture = f.capture({ statusCode: 302 });
    const redirectUrl = 'http://b.test/';
    const attempts = [attempt({ requestId, outcome: 'REDIRECTED', capture, redirectUrl })];
    await f.complete(report(lease, { attempts }));
    const moving = await explain(db, url);
    assert.equal(moving.request?.requestId, requestId);
    assert.match(moving.waits[0]?.detail ?? '', /redirect/);
    await moveTransfers({ pool: db.general, exempt, wake: () => undefined });
    const moved = (await explain(db, redirectUrl)).request;
    assert.deepEqual([moved?.requestId, moved?.url], [requestId, url]);
  });
});
