import assert from 'node:assert/strict';
import { test } from 'node:test';
import { releaseLease } from '@decorum/server/frontier/release.ts';
import { renew } from '@decorum/server/frontier/renew.ts';
import { sweepExpiredLeases } from '@decorum/server/frontier/sweep.ts';
import { moveTransfers } from '@decorum/server/frontier/move-transfers.ts';
import type { GrantedLease } from '@decorum/server/frontier/lease.ts';
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
const TENANTS = { search: 'SEARCH', ml: 'AI_TRAIN' };

async function withFrontier(work: (f: TestFrontier, db: TestDatabase) => Promise<void>) {
  await using db = await createTestDatabase();
  await work(await createTestFrontier(db, TENANTS), db);
}

async function leaseOne(f: TestFrontier): Promise<GrantedLease> {
  const leases = await f.lease();
  assert.equal(leases.length, 1);
  const [lease] = leases;
  assert.ok(lease);
  return lease;
}

const ids = (lease: GrantedLease) => lease.items.map(({ requestId }) => requestId);
const results = (db: TestDatabase) =>
  db.admin<
    { tenantId: string; requestId: string; kind: string; captureId: string | null; coalesced: boolean }[]
  >`
    select tenant_id as "tenantId", request_id as "requestId", kind, capture_id as "captureId", coalesced
    from result order by result_id
  `;

test('a URL goes from Submit over Lease and Complete to one result that its tenant holds', async () => {
  await withFrontier(async (f, db) => {
    const [outcome] = await f.submit('search', ['http://a.test/1']);
    assert.equal(outcome?.status, 'ACCEPTED');
    assert.deepEqual(await f.lease(), [], 'nothing is leased before its host has an address');
    await f.resolve();
    const lease = await leaseOne(f);
    assert.equal(lease.dialAddress, '127.64.0.1');
    assert.equal(lease.robotsDue, true);
    assert.deepEqual(
      lease.items.map(({ url }) => url),
      ['http://a.test/1'],
    );
    const capture = f.capture();
    const [completed] = await f.complete(
      report(lease, { attempts: ids(lease).map((requestId) => attempt({ requestId, capture })) }),
    );
    assert.equal(completed?.status, 'HELD');
    assert.deepEqual(
      (await results(db)).map((r) => ({ ...r })),
      [
        {
          tenantId: 'search',
          requestId: ids(lease)[0],
          kind: 'PAGE',
          captureId: capture.captureId,
          coalesced: false,
        },
      ],
    );
    assert.equal((await db.admin`select 1 from request`).length, 0);
    assert.equal((await db.admin`select 1 from holder where capture_id = ${capture.captureId}`).length, 1);
    assert.equal((await db.admin`select 1 from charge_line`).length, 1);
    assert.equal((await db.admin`select 1 from site_queue`).length, 0, 'no queue without requests');
  });
});

test('M1: a site is leased once at a time, and again no sooner than its delay after the last request ended', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1', 'http://www.a.test/2']);
    await f.resolve();
    const lease = await leaseOne(f);
    assert.deepEqual(await f.lease(), [], 'another host of the site waits');
    await f.complete(
      report(lease, { attempts: [attempt({ requestId: ids(lease)[0] ?? '', capture: f.capture() })] }),
    );
    await db.advanceClock(400);
    assert.deepEqual(await f.lease(), []);
    await db.advanceClock(601);
    await leaseOne(f);
  });
});

test('M2: an address has four leases at a time, whatever its sites are', async () => {
  await withFrontier(async (f, db) => {
    const urls = Array.from({ length: 6 }, (_, i) => `http://s${i}.test/`);
    await f.submit('search', urls);
    await f.resolve();
    const first = await f.lease();
    assert.equal(first.length, 4);
    assert.deepEqual(first.map(({ slot }) => slot).sort(), [0, 1, 2, 3]);
    assert.deepEqual(await f.lease(), []);
    const [ended] = first;
    assert.ok(ended);
    await f.complete(
      report(ended, { attempts: [attempt({ requestId: ids(ended)[0] ?? '', capture: f.capture() })] }),
    );
    await db.advanceClock(1_001);
    const next = await f.lease();
    assert.equal(next.length, 1);
    assert.ok(!first.some(({ site }) => site === next[0]?.site));
  });
});

test('one fetch answers every tenant that waits for the URL, and its charge is split', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1']);
    await f.submit('ml', ['http://a.test/1#fragment']);
    await f.resolve();
    const lease = await leaseOne(f);
    assert.equal(lease.items.length, 1);
    assert.deepEqual(lease.items[0]?.purposes, ['AI_TRAIN', 'SEARCH']);
    await f.complete(
      report(lease, { attempts: [attempt({ requestId: ids(lease)[0] ?? '', capture: f.capture() })] }),
    );
    const all = await results(db);
    assert.deepEqual(
      all
        .map(({ tenantId, kind, coalesced }) => ({ tenantId, kind, coalesced }))
        .sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1)),
      [
        { tenantId: 'ml', kind: 'PAGE', coalesced: true },
        { tenantId: 'search', kind: 'PAGE', coalesced: true },
      ],
    );
    const shares = await db.admin<{ shareOf: number }[]>`select share_of as "shareOf" from charge_line`;
    assert.deepEqual(
      shares.map(({ shareOf }) => shareOf),
      [2, 2],
    );
  });
});

test('a request submitted while its URL is being fetched is not answered by what began before it', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1']);
    await f.resolve();
    const lease = await leaseOne(f);
    await f.submit('ml', ['http://a.test/1']);
    await f.complete(
      report(lease, {
        attempts: [attempt({ requestId: ids(lease)[0] ?? '', totalMs: 5_000, capture: f.capture() })],
      }),
    );
    assert.deepEqual(
      (await results(db)).map(({ tenantId }) => tenantId),
      ['search'],
    );
    assert.equal((await db.admin`select 1 from request where tenant_id = 'ml'`).length, 1);
  });
});

test('D3: a stale token publishes nothing and bills nothing', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1']);
    await f.resolve();
    const lease = await leaseOne(f);
    await db.advanceClock(LEASE_MS + 1);
    const [late] = await f.complete(
      report(lease, { attempts: [attempt({ requestId: ids(lease)[0] ?? '', capture: f.capture() })] }),
    );
    assert.equal(late?.status, 'STALE');
    const [unknown] = await f.complete(report({ ...lease, token: 'never.given' }));
    assert.equal(unknown?.status, 'STALE');
    assert.equal((await results(db)).length, 0);
    assert.equal((await db.admin`select 1 from capture`).length, 0);
    assert.equal((await db.admin`select 1 from charge_line`).length, 0);
  });
});

test('M7: a lease that expired without a word keeps its gates shut for the lock delay', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1']);
    await f.resolve();
    await leaseOne(f);
    await db.advanceClock(LEASE_MS + 1_000);
    assert.equal(await sweepExpiredLeases(db.general, LOCK_DELAY_MS), 1);
    assert.equal(await sweepExpiredLeases(db.general, LOCK_DELAY_MS), 0);
    assert.deepEqual(await f.lease(), []);
    await db.advanceClock(LOCK_DELAY_MS - 2_000);
    assert.deepEqual(await f.lease(), []);
    await db.advanceClock(2_000);
    await leaseOne(f);
  });
});

test('a renewed lease lives on, and hears which of its requests have ended', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1', 'http://a.test/2']);
    await f.resolve();
    const lease = await leaseOne(f);
    await db.advanceClock(LEASE_MS - 1_000);
    const input = {
      workerId: 'w',
      leaseTokens: [lease.token, 'x'],
      segmentIds: [f.segmentId],
      leaseMs: LEASE_MS,
    };
    const renewed = await renew(db.control, input);
    assert.deepEqual(renewed.leases, [
      { isHeld: true, revokedRequestIds: [] },
      { isHeld: false, revokedRequestIds: [] },
    ]);
    assert.deepEqual(renewed.segments, [true]);
    await db.advanceClock(LEASE_MS - 1_000);
    await db.admin`delete from request where request_id = ${ids(lease)[1] ?? ''}`;
    const again = await renew(db.control, input);
    assert.deepEqual(again.leases[0], { isHeld: true, revokedRequestIds: [ids(lease)[1]] });
    const stranger = await renew(db.control, { ...input, workerId: 'other' });
    assert.equal(stranger.leases[0]?.isHeld, false);
  });
});

test('a released lease gives its requests back', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1']);
    await f.resolve();
    const lease = await leaseOne(f);
    const deps = { pool: db.control, wake: () => undefined };
    assert.equal(await releaseLease(deps, lease.token, undefined), true);
    assert.equal(await releaseLease(deps, lease.token, undefined), true, 'a repeat is true');
    assert.deepEqual(ids(await leaseOne(f)), ids(lease));
  });
});

test('a report that comes twice counts once', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1', 'http://a.test/2']);
    await f.resolve();
    const lease = await leaseOne(f);
    const [first, second] = ids(lease);
    assert.ok(first !== undefined && second !== undefined);
    const open = report(lease, {
      endLease: false,
      attempts: [
        attempt({ requestId: first, capture: f.capture() }),
        attempt({ requestId: second, outcome: 'TIMED_OUT', capture: undefined }),
      ],
    });
    await f.complete(open);
    await f.complete(open);
    const ending = report(lease);
    assert.equal((await f.complete(ending))[0]?.status, 'HELD');
    assert.equal((await f.complete(ending))[0]?.status, 'HELD', 'the repeat of an ended lease finds it done');
    assert.equal((await results(db)).length, 1);
    const [row] = await db.admin<{ attempts: number }[]>`select attempts from request`;
    assert.equal(row?.attempts, 1);
  });
});

test('a redirect moves the request to its target and the chain belongs to the result', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1']);
    await f.resolve();
    const lease = await leaseOne(f);
    const requestId = ids(lease)[0] ?? '';
    const hop = f.capture({ statusCode: 302 });
    await f.complete(
      report(lease, {
        attempts: [
          attempt({ requestId, outcome: 'REDIRECTED', redirectUrl: 'http://b.test/2', capture: hop }),
        ],
      }),
    );
    assert.equal(await moveTransfers({ pool: db.general, exempt, wake: () => undefined }), 1);
    await f.resolve();
    const next = await leaseOne(f);
    assert.equal(next.site, 'b.test');
    assert.deepEqual(ids(next), [requestId]);
    await f.complete(report(next, { attempts: [attempt({ requestId, capture: f.capture() })] }));
    const [row] = await db.admin<{ url: string; finalUrl: string; redirects: object[] }[]>`
      select url, final_url as "finalUrl", redirects from result
    `;
    assert.deepEqual(
      { ...row },
      {
        url: 'http://a.test/1',
        finalUrl: 'http://b.test/2',
        redirects: [{ url: 'http://a.test/1', statusCode: 302, captureId: hop.captureId }],
      },
    );
    assert.equal((await db.admin`select 1 from holder`).length, 2, 'both exchanges are the tenant’s to read');
  });
});

test('two URLs that redirect to each other end', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1']);
    for (const target of ['http://b.test/2', 'http://a.test/1']) {
      await f.resolve();
      await db.advanceClock(1_100);
      const lease = await leaseOne(f);
      const requestId = ids(lease)[0] ?? '';
      await f.complete(
        report(lease, {
          attempts: [
            attempt({
              requestId,
              outcome: 'REDIRECTED',
              redirectUrl: target,
              capture: f.capture({ statusCode: 301 }),
            }),
          ],
        }),
      );
      await moveTransfers({ pool: db.general, exempt, wake: () => undefined });
    }
    assert.deepEqual(
      (await results(db)).map(({ kind }) => kind),
      ['REDIRECT_LIMIT'],
    );
  });
});

test('robots.txt that cannot be had keeps the origin waiting, without an attempt and without a page', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1']);
    await f.resolve();
    const lease = await leaseOne(f);
    const [answer] = await f.complete(
      report(lease, {
        robots: {
          outcome: 'FETCHED',
          statusCode: 503,
          content: new Uint8Array(),
          redirectUrl: '',
          maxAgeS: undefined,
          endedAgoMs: 0,
          responseMs: 10,
          retryAfterS: undefined,
        },
        attempts: ids(lease).map((requestId) => attempt({ requestId, outcome: 'ROBOTS_UNREACHABLE' })),
      }),
    );
    assert.equal(answer?.robots?.answer, null);
    await db.advanceClock(50_000);
    assert.deepEqual(await f.lease(), []);
    await db.advanceClock(11_000);
    const again = await leaseOne(f);
    assert.equal(again.robotsDue, true);
    const [row] = await db.admin<{ attempts: number }[]>`select attempts from request`;
    assert.equal(row?.attempts, 0);
  });
});

test('429 with Retry-After shuts the site for so long, over a lease that goes on and ends later', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://a.test/1', 'http://a.test/2']);
    await f.resolve();
    const lease = await leaseOne(f);
    const [first] = ids(lease);
    await f.complete(
      report(lease, {
        endLease: false,
        attempts: [
          attempt({
            requestId: first ?? '',
            outcome: 'HTTP_RETRYABLE',
            retryAfterS: 120,
            capture: f.capture({ statusCode: 429 }),
          }),
        ],
      }),
    );
    await f.complete(report(lease));
    await db.advanceClock(119_000);
    assert.deepEqual(await f.lease(), []);
    await db.advanceClock(2_000);
    await leaseOne(f);
  });
});
