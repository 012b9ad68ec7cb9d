import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CANCEL_MAX, cancelRequests, type RequestSelector } from '@decorum/server/frontier/cancel.ts';
import { moveTransfers } from '@decorum/server/frontier/move-transfers.ts';
import { renew } from '@decorum/server/frontier/renew.ts';
import type { SubmitOutcome } from '@decorum/server/frontier/submit.ts';
import { DomainError } from '@decorum/server/runtime/domain-error.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import {
  attempt,
  createTestFrontier,
  exempt,
  LEASE_MS,
  report,
  type TestFrontier,
} from '../../support/frontier.ts';

async function withFrontier(work: (f: TestFrontier, db: TestDatabase) => Promise<void>) {
  await using db = await createTestDatabase();
  await work(await createTestFrontier(db, { search: 'SEARCH', ml: 'AI_TRAIN' }), db);
}

const quiet = () => undefined;
const cancel = (db: TestDatabase, tenantId: string, selector: Partial<RequestSelector>) =>
  cancelRequests({ pool: db.general, wake: quiet }, tenantId, {
    requestIds: [],
    label: '',
    site: '',
    ...selector,
  });
const idsOf = (outcomes: readonly SubmitOutcome[]) =>
  outcomes.map((outcome) => ('requestId' in outcome ? outcome.requestId : ''));
const results = async (db: TestDatabase) =>
  (
    await db.admin<{ tenantId: string; requestId: string; kind: string }[]>`
      select tenant_id as "tenantId", request_id as "requestId", kind from result order by result_id
    `
  ).map((row) => ({ ...row }));
const pending = async (db: TestDatabase) =>
  (await db.admin<{ url: string }[]>`select url from request order by url`).map(({ url }) => url);

test('a request that is cancelled by id ends once, as CANCELLED, and is leased no more', async () => {
  await withFrontier(async (f, db) => {
    const [requestId = ''] = idsOf(await f.submit('search', ['http://a.test/1']));
    await f.resolve();
    assert.deepEqual(await cancel(db, 'search', { requestIds: [requestId] }), { cancelled: 1, more: false });
    assert.deepEqual(await cancel(db, 'search', { requestIds: [requestId] }), { cancelled: 0, more: false });
    assert.deepEqual(await results(db), [{ tenantId: 'search', requestId, kind: 'CANCELLED' }]);
    assert.equal((await db.admin`select 1 from site_queue`).length, 0, 'no queue without requests');
    assert.equal((await db.admin`select 1 from origin_queue`).length, 0);
    assert.deepEqual(await f.lease(), []);
  });
});

test('all that is given must match', async () => {
  await withFrontier(async (f, db) => {
    const ids = idsOf(
      await f.submit('search', [
        { url: 'http://a.test/1', label: 'x' },
        { url: 'http://www.a.test/2', label: 'x' },
        { url: 'http://a.test/3', label: 'y' },
        { url: 'http://b.test/4', label: 'x' },
        { url: 'http://b.test/5' },
      ]),
    );
    const first = await cancel(db, 'search', { site: 'A.test.', label: 'x', requestIds: ids.slice(1) });
    assert.equal(first.cancelled, 1);
    assert.deepEqual(await pending(db), [
      'http://a.test/1',
      'http://a.test/3',
      'http://b.test/4',
      'http://b.test/5',
    ]);
    assert.equal((await cancel(db, 'search', { label: 'x' })).cancelled, 2);
    assert.equal((await cancel(db, 'search', { site: 'a.test' })).cancelled, 1);
    assert.deepEqual(await pending(db), ['http://b.test/5']);
  });
});

test('a call that selects nothing, or no site, is refused and names the field', async () => {
  await withFrontier(async (f, db) => {
    await f.submit('search', ['http://www.a.test/1']);
    for (const [selector, reason, field] of [
      [{}, 'SELECTOR_EMPTY', 'selector'],
      [{ site: 'www.a.test' }, 'INVALID_SITE', 'selector.site'],
      [{ site: 'http://a.test/' }, 'INVALID_HOST', 'selector.site'],
    ] as const) {
      await assert.rejects(
        cancel(db, 'search', selector),
        (error) =>
          error instanceof DomainError &&
          error.kind === 'invalid' &&
          error.reason === reason &&
          error.field === field,
      );
    }
    assert.equal((await pending(db)).length, 1);
  });
});

test('T1: no selector reaches another tenant’s requests', async () => {
  await withFrontier(async (f, db) => {
    const ids = idsOf(await f.submit('search', [{ url: 'http://a.test/1', label: 'x' }]));
    await f.submit('ml', [{ url: 'http://a.test/1', label: 'x' }]);
    await f.resolve();
    for (const selector of [{ requestIds: ids }, { label: 'x', requestIds: ids }]) {
      assert.deepEqual(await cancel(db, 'ml', selector), { cancelled: 0, more: false });
    }
    assert.equal((await cancel(db, 'ml', { site: 'a.test' })).cancelled, 1);
    assert.deepEqual(
      (await results(db)).map(({ tenantId }) => tenantId),
      ['ml'],
    );
    const [lease] = await f.lease();
    assert.deepEqual(
      lease?.items.map(({ requestId }) => requestId),
      ids,
      'the other tenant’s queue is as it was',
    );
  });
});

test('one that is being fetched is cancelled; its lease hears of it and answers the other tenant only', async () => {
  await withFrontier(async (f, db) => {
    const [own = ''] = idsOf(await f.submit('search', ['http://a.test/1']));
    await f.resolve();
    const [lease] = await f.lease();
    assert.ok(lease);
    await cancel(db, 'search', { requestIds: [own] });
    const [other = ''] = idsOf(await f.submit('ml', [{ url: 'http://a.test/1', maxAgeMs: 60_000 }]));
    const renewed = await renew(db.control, {
      workerId: 'w',
      leaseTokens: [lease.token],
      segmentIds: [],
      leaseMs: LEASE_MS,
    });
    assert.deepEqual(renewed.leases, [{ isHeld: true, revokedRequestIds: [own] }]);
    await f.complete(report(lease, { attempts: [attempt({ requestId: own, capture: f.capture() })] }));
    assert.deepEqual(await results(db), [
      { tenantId: 'search', requestId: own, kind: 'CANCELLED' },
      { tenantId: 'ml', requestId: other, kind: 'PAGE' },
    ]);
  });
});

test('D1: whoever comes first, Cancel or Complete, ends a request; the other leaves it', async () => {
  await withFrontier(async (f, db) => {
    const urls = Array.from({ length: 8 }, (_, i) => `http://s${i}.test/`);
    const ids = idsOf(await f.submit('search', urls));
    await f.resolve();
    const leases = await f.lease();
    assert.equal(leases.length, 4);
    await Promise.all([
      ...leases.map((lease) =>
        f.complete(
          report(lease, {
            attempts: lease.items.map(({ requestId }) => attempt({ requestId, capture: f.capture() })),
          }),
        ),
      ),
      ...ids.map((requestId) => cancel(db, 'search', { requestIds: [requestId] })),
      cancel(db, 'search', { requestIds: ids }),
    ]);
    const ended = (await results(db)).map(({ requestId }) => requestId);
    assert.deepEqual(ended.sort(), [...ids].sort());
    assert.deepEqual(await pending(db), []);
  });
});

test('the queue waits for the next request that is left', async () => {
  await withFrontier(async (f, db) => {
    const [due = ''] = idsOf(
      await f.submit('search', [
        'http://a.test/1',
        { url: 'http://a.test/2', notBefore: new Date(Date.now() + 30_000) },
      ]),
    );
    await f.resolve();
    await cancel(db, 'search', { requestIds: [due] });
    const [queue] = await db.admin<{ isLater: boolean }[]>`
      select ready_at > decorum.now() + interval '20 seconds' as "isLater" from site_queue
    `;
    assert.equal(queue?.isLater, true);
    await db.advanceClock(31_000);
    assert.equal((await f.lease()).length, 1);
  });
});

test('a redirected request is cancelled on its way', async () => {
  await withFrontier(async (f, db) => {
    const [requestId = ''] = idsOf(await f.submit('search', ['http://a.test/1']));
    await f.resolve();
    const [lease] = await f.lease();
    assert.ok(lease);
    const capture = f.capture({ statusCode: 302 });
    await f.complete(
      report(lease, {
        attempts: [attempt({ requestId, outcome: 'REDIRECTED', capture, redirectUrl: 'http://b.test/' })],
      }),
    );
    assert.equal((await db.admin`select 1 from transfer`).length, 1);
    assert.equal((await cancel(db, 'search', { requestIds: [requestId] })).cancelled, 1);
    await moveTransfers({ pool: db.general, exempt, wake: quiet });
    assert.deepEqual(await results(db), [{ tenantId: 'search', requestId, kind: 'CANCELLED' }]);
    assert.equal((await db.admin`select 1 from holder where capture_id = ${capture.captureId}`).length, 1);
  });
});

test(`a call ends ${CANCEL_MAX} requests at most and says when more match`, async () => {
  assert.equal(CANCEL_MAX, 1_000);
  await withFrontier(async (f, db) => {
    for (let batch = 0; batch < 2; batch += 1) {
      const items = Array.from({ length: 505 }, (_, i) => ({
        url: `http://s${i % 40}.test/${batch}/${i}`,
        label: 'big',
      }));
      await f.submit('search', items);
    }
    assert.deepEqual(await cancel(db, 'search', { label: 'big' }), { cancelled: CANCEL_MAX, more: true });
    assert.deepEqual(await cancel(db, 'search', { label: 'big' }), { cancelled: 10, more: false });
    assert.equal((await results(db)).length, 1_010);
  });
});
