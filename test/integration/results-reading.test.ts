import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { insertResults, type NewResult } from '@decorum/server/store/insert-results.ts';
import type { ResultLane, ResultStreamKey } from '@decorum/server/store/result-stream-key.ts';
import { lockResultStream } from '@decorum/server/store/lock-result-stream.ts';
import { numberResults } from '@decorum/server/store/number-results.ts';
import { transact } from '@decorum/server/store/transact.ts';
import {
  getResultsByNumber,
  getResultsByRequest,
  replayResults,
  type ResultItem,
} from '@decorum/server/results/read-results.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createCaptureStore, type CaptureStore } from '../support/results/capture-store.ts';
import { insertTenants, newResult, streamOf, writeResults } from '../support/results/fixtures.ts';

const MIB = 1024 * 1024;
const BULK = { lane: 'bulk', cell: undefined, generation: undefined } as const;

let database: TestDatabase;
let store: CaptureStore;
let deps: { readonly pool: TestDatabase['general'] };

before(async () => {
  database = await createTestDatabase();
  store = await createCaptureStore(database);
  deps = { pool: database.general };
});
after(async () => {
  await store[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function number(key: ResultStreamKey): Promise<void> {
  await transact(database.control, async (sql) => {
    const { numberedThrough } = await lockResultStream(sql, key);
    await numberResults(sql, key, numberedThrough, 1_000);
  });
}

async function writeNumbered(tenantId: string, results: readonly NewResult[], lane: ResultLane = 'bulk') {
  await writeResults(database, results);
  await number(streamOf(tenantId, lane));
}

const statuses = (items: readonly ResultItem[]) => items.map(({ status }) => status);
const idsOf = (items: readonly ResultItem[]) =>
  items.map((item) => (item.status === 'FOUND' ? item.result.requestId : item.status));

test('results are found by number or request id, one item each, in the order that was asked for', async () => {
  await insertTenants(database, 'finder');
  const [first, second, unnumbered] = [newResult('finder'), newResult('finder'), newResult('finder')];
  await writeNumbered('finder', [first, second]);
  await writeResults(database, [unnumbered]);
  const pending = randomUUID();
  await database.admin`
    insert into request (request_id, tenant_id, asked_url, url, url_hash, url_key, key_version, site, origin, band, reason,
      max_body_bytes, due_at, deadline, submitted_at)
    values (${pending}, 'finder', 'https://a.test/p', 'https://a.test/p', ${Buffer.alloc(16)}, ${Buffer.alloc(16)}, 1,
      'a.test', 'https://a.test', 3, 'FEED', 1, now(), now(), now())
  `;
  const byRequest = [second.requestId, randomUUID(), pending, unnumbered.requestId, first.requestId];
  const { read, purposes } = await getResultsByRequest(deps, 'finder', byRequest);
  assert.deepEqual(statuses(read), ['FOUND', 'NOT_FOUND', 'PENDING', 'FOUND', 'FOUND']);
  assert.ok(purposes.includes('SEARCH'));
  const byNumber = await getResultsByNumber(deps, 'finder', BULK, [2n, 4n, 1n, 2n]);
  assert.deepEqual(idsOf(byNumber.read), [second.requestId, 'NOT_FOUND', first.requestId, second.requestId]);
  for (const selection of [
    { ...BULK, lane: 'urgent' as const },
    { ...BULK, generation: 2 },
    { ...BULK, cell: 1 },
  ]) {
    assert.deepEqual(statuses((await getResultsByNumber(deps, 'finder', selection, [1n])).read), [
      'NOT_FOUND',
    ]);
  }
  assert.deepEqual((await getResultsByRequest(deps, 'finder', [])).read, []);
});

test('a result is whole: what was asked, how it ended, its capture, and its times', async () => {
  await insertTenants(database, 'whole');
  const captureId = await store.store({
    tenants: [],
    url: 'https://a.test/whole',
    body: 'body',
    fields: [['X-Robots-Tag', 'none']],
    change: { signals: [{ source: 'RESPONSE_HEADER', name: 'X-Robots-Tag', value: 'none' }] },
  });
  const result = newResult('whole', {
    kind: 'PAGE',
    outcome: 'FETCHED',
    captureId,
    finalUrl: 'https://a.test/whole',
    redirects: [{ url: 'https://a.test/old', statusCode: 301, captureId: null }],
    document: { title: 'T', links: ['https://a.test/x'] },
    band: 7,
    tier: 'fast',
    label: 'job',
    clientRef: Buffer.from([1, 2, 0, 255]),
    fetchedAt: new Date(1_000_000),
    responseMs: 12,
    totalMs: 34,
  });
  await writeNumbered('whole', [result], 'urgent');
  const { read } = await getResultsByRequest(deps, 'whole', [result.requestId]);
  const [item] = read;
  assert.ok(item?.status === 'FOUND');
  const { submittedAt, completedAt, ...row } = item.result;
  assert.ok(submittedAt instanceof Date && completedAt instanceof Date);
  assert.deepEqual(row, {
    number: 1n,
    lane: 'urgent',
    cell: 0,
    generation: 1,
    requestId: result.requestId,
    kind: 'PAGE',
    url: result.url,
    finalUrl: 'https://a.test/whole',
    redirects: [{ url: 'https://a.test/old', statusCode: 301, captureId: null }],
    outcome: 'FETCHED',
    detail: '',
    attempts: 3,
    captureId,
    document: { title: 'T', links: ['https://a.test/x'] },
    coalesced: false,
    reason: 'DISCOVERY',
    band: 7,
    tier: 'fast',
    label: 'job',
    clientRef: Buffer.from([1, 2, 0, 255]),
    takedownId: null,
    leasedAt: null,
    fetchedAt: new Date(1_000_000),
    publishedAt: null,
    responseMs: 12,
    totalMs: 34,
  });
  assert.deepEqual(item.capture?.headers, [
    { name: 'Content-Type', value: 'text/html' },
    { name: 'X-Robots-Tag', value: 'none' },
  ]);
  assert.equal(item.capture.bodyBytes, 4n);
});

test('T1: another tenant finds nothing under the same ids and numbers', async () => {
  await insertTenants(database, 'mine', 'other');
  const captureId = await store.store({ tenants: [], body: 'mine' });
  const results = [newResult('mine', { captureId }), newResult('mine')];
  await writeNumbered('mine', results);
  const requestIds = results.map(({ requestId }) => requestId);
  assert.deepEqual(statuses((await getResultsByRequest(deps, 'mine', requestIds)).read), ['FOUND', 'FOUND']);
  assert.deepEqual(statuses((await getResultsByRequest(deps, 'other', requestIds)).read), [
    'NOT_FOUND',
    'NOT_FOUND',
  ]);
  assert.deepEqual(statuses((await getResultsByNumber(deps, 'other', BULK, [1n, 2n])).read), [
    'NOT_FOUND',
    'NOT_FOUND',
  ]);
  const { read } = await replayResults(deps, 'other', BULK, { fromNumber: 1n, pageSize: 10 });
  assert.deepEqual(read, { results: [], nextNumber: undefined });
});

test('T1: row-level security alone holds a tenant to its own rows', async () => {
  await database.general.begin(async (sql) => {
    await sql`select set_config('role', 'decorum_tenant', true), set_config('decorum.tenant', 'other', true)`;
    const rows = await sql<{ mine: number }[]>`
      select (select count(*) from result) + (select count(*) from capture) + (select count(*) from capture_record)
        + (select count(*) from holder) + (select count(*) from result_stream) as mine
    `;
    assert.equal(Number(rows[0]?.mine), 0);
  });
  await assert.rejects(
    database.general.begin(async (sql) => {
      await sql`select set_config('role', 'decorum_tenant', true), set_config('decorum.tenant', 'other', true)`;
      await insertResults(sql, { cell: 0, generation: 1 }, [newResult('mine')]);
    }),
    /row-level security/,
  );
});

test('a lane is replayed in order, page by page, over numbers that are gone', async () => {
  await insertTenants(database, 'replay');
  await writeNumbered(
    'replay',
    Array.from({ length: 9 }, () => newResult('replay')),
  );
  await writeResults(database, [newResult('replay')]);
  await database.admin`delete from result where tenant_id = 'replay' and number in (1, 2, 5)`;
  const pages: (bigint | null)[][] = [];
  let fromNumber: bigint | undefined = 1n;
  while (fromNumber !== undefined) {
    const { read } = await replayResults(deps, 'replay', BULK, { fromNumber, pageSize: 3 });
    pages.push(read.results.map(({ result }) => result.number));
    fromNumber = read.nextNumber;
  }
  assert.deepEqual(pages, [
    [3n, 4n, 6n],
    [7n, 8n, 9n],
  ]);
});

test('what does not fit into one answer is refused with how much does, and a replay pages by it', async () => {
  await insertTenants(database, 'heavy');
  const results = Array.from({ length: 5 }, () =>
    newResult('heavy', { document: { text: 'x'.repeat(5 * MIB) } }),
  );
  for (const result of results) await writeNumbered('heavy', [result]);
  const requestIds = results.map(({ requestId }) => requestId);
  await assert.rejects(getResultsByRequest(deps, 'heavy', requestIds), {
    kind: 'quota',
    reason: 'ANSWER_TOO_LARGE',
    retryAfterMs: undefined,
    metadata: { subject: 'answer', quota: 'ANSWER_TOO_LARGE', itemsMax: '3' },
  });
  assert.equal((await getResultsByRequest(deps, 'heavy', requestIds.slice(0, 3))).read.length, 3);
  const { read } = await replayResults(deps, 'heavy', BULK, { fromNumber: 1n, pageSize: 100 });
  assert.deepEqual([read.results.length, read.nextNumber], [3, 4n]);
});
