import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { GrantedLease } from '@decorum/server/frontier/lease.ts';
import { DomainError } from '@decorum/server/runtime/domain-error.ts';
import { closeSegment, openSegment } from '@decorum/server/store/segments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { attempt, createTestFrontier, LEASE_MS, report, type TestFrontier } from '../../support/frontier.ts';

async function withLease(work: (f: TestFrontier, lease: GrantedLease, db: TestDatabase) => Promise<void>) {
  await using db = await createTestDatabase();
  const f = await createTestFrontier(db, { search: 'SEARCH', ml: 'AI_TRAIN' });
  await f.submit('search', ['http://a.test/1']);
  await f.resolve();
  const [lease] = await f.lease();
  assert.ok(lease);
  await work(f, lease, db);
}

const complete = (f: TestFrontier, lease: GrantedLease, capture: ReturnType<TestFrontier['capture']>) =>
  f.complete(report(lease, { attempts: [attempt({ requestId: lease.items[0]?.requestId ?? '', capture })] }));

const refusedAs = (reason: string) => (error: unknown) =>
  error instanceof DomainError && error.reason === reason;

test('D3: a capture id that was reported before gives nobody its capture', async () => {
  await withLease(async (f, lease, db) => {
    const own = f.capture();
    await complete(f, lease, own);
    await f.submit('ml', ['http://b.test/1']);
    await f.resolve();
    const [other] = await f.lease();
    assert.ok(other);
    await assert.rejects(
      complete(f, other, f.capture({ captureId: own.captureId })),
      refusedAs('CAPTURE_EXISTS'),
    );
    assert.equal((await db.admin`select 1 from holder where tenant_id = 'ml'`).length, 0);
  });
});

test('D2: bytes in another worker’s segment, beyond a closed one, or on another capture’s are no capture', async () => {
  await withLease(async (f, lease, db) => {
    const foreign = randomUUID();
    await openSegment(db.general, {
      segmentId: foreign,
      workerId: 'other',
      residency: 'local',
      leaseMs: LEASE_MS,
    });
    await assert.rejects(complete(f, lease, f.capture({ segmentId: foreign })), refusedAs('SEGMENT_UNKNOWN'));
    const closed = randomUUID();
    await openSegment(db.general, {
      segmentId: closed,
      workerId: 'w',
      residency: 'local',
      leaseMs: LEASE_MS,
    });
    await closeSegment(db.general, 'w', closed, 100n);
    const beyond = f.capture({
      segmentId: closed,
      records: [{ type: 'response', offset: 50n, length: 51n }],
    });
    await assert.rejects(complete(f, lease, beyond), refusedAs('SEGMENT_UNKNOWN'));
    const within = f.capture({
      segmentId: closed,
      records: [{ type: 'response', offset: 50n, length: 50n }],
    });
    await complete(f, lease, within);
    await f.submit('search', ['http://b.test/1']);
    await f.resolve();
    const [next] = await f.lease();
    assert.ok(next);
    const over = f.capture({ segmentId: closed, records: [{ type: 'response', offset: 0n, length: 51n }] });
    await assert.rejects(complete(f, next, over), refusedAs('RECORD_EXISTS'));
  });
});

test('M3: what failed for several tenants is tried again once for all of them', async () => {
  await withLease(async (f, _lease, db) => {
    await f.submit('ml', ['http://c.test/1']);
    await f.submit('search', ['http://c.test/1']);
    await f.resolve();
    const [lease] = await f.lease();
    assert.equal(lease?.host, 'c.test');
    for (let fetches = 1; ; fetches += 1) {
      await db.advanceClock(4_000_000);
      await f.resolve();
      const leases: readonly GrantedLease[] = fetches === 1 ? [lease] : await f.lease();
      const again = leases.find(({ host }) => host === 'c.test');
      if (again === undefined) {
        assert.equal(fetches - 1, 3);
        break;
      }
      assert.equal(again.items.length, 1);
      await db.admin`update lease set expires_at = decorum.now() + interval '1 minute' where ended_at is null`;
      const requestId = again.items[0]?.requestId ?? '';
      await f.complete(report(again, { attempts: [attempt({ requestId, outcome: 'TIMED_OUT' })] }));
      const due = await db.admin<{ n: number }[]>`
        select count(distinct due_at)::int as n from request where url = 'http://c.test/1'
      `;
      assert.ok((due[0]?.n ?? 0) <= 1);
    }
    assert.equal((await db.admin`select 1 from result where kind = 'FAILED'`).length, 2);
  });
});
