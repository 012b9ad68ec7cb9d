import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { ContentDeps } from '@decorum/server/archive/content/content-deps.ts';
import { getCapture } from '@decorum/server/archive/content/get-capture.ts';
import { listCaptures, type CaptureQuery } from '@decorum/server/archive/content/list-captures.ts';
import { readBody, type BodyCoding } from '@decorum/server/archive/content/read-body.ts';
import { DOCUMENT_BYTES_MAX } from '@decorum/server/archive/content/read-document.ts';
import { readLinks } from '@decorum/server/archive/content/read-links.ts';
import { readRecords } from '@decorum/server/archive/content/read-records.ts';
import { readText } from '@decorum/server/archive/content/read-text.ts';
import { toSegmentPath } from '@decorum/server/archive/segment-path.ts';
import { systemClock } from '@decorum/server/runtime/clock.ts';
import { collect } from '../support/archive/segments.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createCaptureStore, type CaptureStore } from '../support/results/capture-store.ts';
import { insertTenants } from '../support/results/fixtures.ts';

/* Tenants `aa` and `bb`; captures are stored in a segment that stays open throughout. */

const MIB = 1024 * 1024;
const UNKNOWN = { kind: 'not_found', reason: 'CAPTURE_UNKNOWN' };

let database: TestDatabase;
let store: CaptureStore;
let deps: ContentDeps;

before(async () => {
  database = await createTestDatabase();
  await insertTenants(database, 'aa', 'bb');
  store = await createCaptureStore(database);
  deps = { pool: database.general, archive: store.archive, clock: systemClock };
});
after(async () => {
  await store[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function bodyOf(captureId: string, coding: BodyCoding = 'DECODED', tenantId = 'aa'): Promise<Buffer> {
  return collect(readBody(deps, { tenantId, captureId, coding }));
}

test('a body comes back from a segment that is still open, as received or decoded', async () => {
  const page = '<p>words and words and words</p>'.repeat(100);
  const plain = await store.store({ tenants: ['aa'], body: page });
  assert.equal((await bodyOf(plain)).toString(), page);
  assert.equal((await bodyOf(plain, 'RAW')).toString(), page);

  const codings = [
    ['gzip', gzipSync(page)],
    ['br', brotliCompressSync(page)],
    ['gzip, br', brotliCompressSync(gzipSync(page))],
  ] as const;
  for (const [coding, body] of codings) {
    const captureId = await store.store({ tenants: ['aa'], body, fields: [['Content-Encoding', coding]] });
    assert.equal((await bodyOf(captureId)).toString(), page, coding);
    assert.deepEqual(await bodyOf(captureId, 'RAW'), body, coding);
  }
});

test('a body that came chunked is stored without chunks, and none are taken off again', async () => {
  const body = '5\r\nthis is content, not framing\r\n0\r\n\r\n';
  const captureId = await store.store({ tenants: ['aa'], body, fields: [['Transfer-Encoding', 'chunked']] });
  assert.equal((await bodyOf(captureId)).toString(), body);
});

test('a long body comes in pieces of at most 256 KiB, an empty one in none', async () => {
  const body = randomBytes(5 * MIB + 17);
  const captureId = await store.store({ tenants: ['aa'], body, contentType: 'application/pdf' });
  const pieces: Uint8Array[] = [];
  for await (const piece of readBody(deps, { tenantId: 'aa', captureId, coding: 'RAW' })) pieces.push(piece);
  assert.ok(pieces.every(({ length }) => length > 0 && length <= 256 * 1024));
  assert.ok(Buffer.concat(pieces).equals(body));
  assert.equal((await bodyOf(await store.store({ tenants: ['aa'] }))).length, 0);
});

test('a body that is not what it says, or unpacks to too much, can be read raw only', async () => {
  const cases = [
    ['gzip', Buffer.from('no gzip at all'), 'MALFORMED'],
    ['snappy', Buffer.from('who knows'), 'UNKNOWN_CODING'],
    ['gzip', gzipSync(Buffer.alloc(64 * MIB)), 'TOO_LARGE'],
  ] as const;
  for (const [coding, body, problem] of cases) {
    const captureId = await store.store({ tenants: ['aa'], body, fields: [['Content-Encoding', coding]] });
    await assert.rejects(bodyOf(captureId), {
      kind: 'failed_precondition',
      reason: 'BODY_NOT_DECODABLE',
      metadata: { problem },
    });
    assert.deepEqual(await bodyOf(captureId, 'RAW'), body);
  }
});

test('a revisit gives the body that it points at, also to a tenant that never asked for the first', async () => {
  const url = 'https://a.test/revisited';
  const first = await store.store({ tenants: ['aa'], url, body: 'the first body' });
  const revisit = await store.store({ tenants: ['bb'], url, revisitOf: first, change: { statusCode: 304 } });
  assert.equal((await bodyOf(revisit, 'DECODED', 'bb')).toString(), 'the first body');
  await assert.rejects(bodyOf(revisit), UNKNOWN);
  const { capture } = await getCapture(deps, 'bb', revisit);
  assert.equal(capture.revisitOfCaptureId, first);
});

test('T1: a tenant reads nothing of a capture that none of its results named', async () => {
  const captureId = await store.store({ tenants: ['aa'], body: '<a href="/x">mine</a>' });
  for (const id of [captureId, randomUUID()]) {
    await assert.rejects(getCapture(deps, 'bb', id), UNKNOWN);
    await assert.rejects(bodyOf(id, 'RAW', 'bb'), UNKNOWN);
    await assert.rejects(readText(deps, 'bb', id), UNKNOWN);
    await assert.rejects(readLinks(deps, 'bb', id), UNKNOWN);
    for await (const { captureId: other } of readRecords(deps, 'bb', [id])) assert.fail(other);
  }
  assert.ok((await list('bb')).every((id) => id !== captureId));
  assert.equal((await getCapture(deps, 'aa', captureId)).capture.captureId, captureId);
});

test('L1: a body that is being read ends when it may not be read any more', async () => {
  const captureId = await store.store({
    tenants: ['aa'],
    body: randomBytes(8 * MIB),
    contentType: 'video/mp4',
  });
  const pieces = readBody(deps, { tenantId: 'aa', captureId, coding: 'RAW' });
  let bytes = (await pieces.next()).value?.length ?? 0;
  await database.admin`delete from holder where capture_id = ${captureId}`;
  await assert.rejects(async () => {
    for await (const piece of pieces) bytes += piece.length;
  }, UNKNOWN);
  assert.ok(bytes <= 2 * MIB, `${bytes} bytes after the right was gone`);
});

test('L1: a body that is read slowly is looked at again after a second, whatever its size', async () => {
  let nowMs = 0;
  const slow = { ...deps, clock: { monotonicMs: () => nowMs } };
  const captureId = await store.store({ tenants: ['aa'], body: randomBytes(MIB), contentType: 'image/png' });
  const pieces = readBody(slow, { tenantId: 'aa', captureId, coding: 'RAW' });
  await pieces.next();
  await database.admin`delete from holder where capture_id = ${captureId}`;
  assert.ok((await pieces.next()).value !== undefined);
  nowMs += 1_000;
  await assert.rejects(pieces.next(), UNKNOWN);
});

test('L1: no body is read while policy is being changed, and the change is seen then', async () => {
  const captureId = await store.store({ tenants: ['aa'], body: 'text' });
  let reading: Promise<Buffer> | undefined;
  await database.admin.begin(async (sql) => {
    await sql`select pg_advisory_xact_lock(${0x1e9a1})`;
    reading = bodyOf(captureId);
    reading.catch(() => undefined);
    const waiting = async () =>
      (await database.admin`select from pg_locks where locktype = 'advisory' and not granted`).length;
    while ((await waiting()) === 0);
    await sql`delete from holder where capture_id = ${captureId}`;
  });
  await assert.rejects(reading ?? assert.fail(), UNKNOWN);
});

test('the records of captures are whole gzip members, in order, with their captures named', async () => {
  const [one, two] = [
    await store.store({ tenants: ['aa'], body: 'first' }),
    await store.store({ tenants: ['aa'], body: 'second' }),
  ];
  const parts = new Map<string, Uint8Array[]>();
  for await (const { captureId, chunk } of readRecords(deps, 'aa', [two, randomUUID(), one])) {
    parts.set(captureId, [...(parts.get(captureId) ?? []), chunk]);
  }
  assert.deepEqual([...parts.keys()], [two, one]);
  const text = gunzipSync(Buffer.concat(parts.get(two) ?? [])).toString();
  assert.deepEqual(text.match(/(?<=WARC-Type: )\w+/g), ['request', 'response', 'metadata']);
  assert.match(text, /second/);
});

test('text and links come from the stored bytes, decoded', async () => {
  const html =
    '<html lang="de"><title>Titel</title><p>Grüße</p><a href="/weiter">weiter</a><a href="https://b.test/">b</a>';
  const captureId = await store.store({
    tenants: ['aa'],
    url: 'https://a.test/dir/page',
    body: gzipSync(html),
    contentType: 'text/html; charset=utf-8',
    fields: [['Content-Encoding', 'gzip']],
  });
  assert.deepEqual(await readText(deps, 'aa', captureId), {
    title: 'Titel',
    language: 'de',
    text: 'Grüße\nweiterb',
    truncated: false,
  });
  assert.deepEqual(await readLinks(deps, 'aa', captureId), {
    links: ['https://a.test/weiter', 'https://b.test/'],
    truncated: false,
  });
});

test('a document is parsed up to 2 MiB, and only HTML is', async () => {
  const html = `<a href="/early">early</a>${' '.repeat(DOCUMENT_BYTES_MAX)}<a href="/late">late</a>`;
  const captureId = await store.store({ tenants: ['aa'], body: html });
  const { links, truncated } = await readLinks(deps, 'aa', captureId);
  assert.deepEqual([links.map((link) => new URL(link).pathname), truncated], [['/early'], true]);
  const json = await store.store({ tenants: ['aa'], body: '{}', contentType: 'application/json' });
  await assert.rejects(readText(deps, 'aa', json), { kind: 'failed_precondition', reason: 'NOT_HTML' });
});

test('bytes that are gone or changed are data loss, not an answer', async () => {
  const captureId = await store.store({ tenants: ['aa'], body: 'a body that will be damaged'.repeat(50) });
  const [record] = await database.admin<{ segmentId: string; offset: bigint; length: bigint }[]>`
    select segment_id as "segmentId", record_offset as "offset", record_length as length from capture_record
    where capture_id = ${captureId} and record_type = 'response'
  `;
  const file = join(store.dir, toSegmentPath(record?.segmentId ?? ''));
  const whole = await readFile(file);
  const damaged = Buffer.from(whole);
  damaged.fill(0xff, Number(record?.offset) + 200, Number(record?.offset) + 220);
  const lost = { kind: 'data_loss', reason: 'ARCHIVE_DAMAGED' };
  await writeFile(file, damaged);
  await assert.rejects(bodyOf(captureId), lost);
  await rm(file);
  await assert.rejects(bodyOf(captureId), lost);
  await writeFile(file, whole);
  const other = await store.store({ tenants: ['aa'], body: 'of another' });
  await database.admin`
    update capture_record set capture_id = ${captureId} where capture_id = ${other} and record_type = 'response'
  `;
  await database.admin`delete from capture_record where capture_id = ${captureId} and record_offset = ${record?.offset ?? 0n}`;
  await assert.rejects(bodyOf(captureId), lost);
});

const ALL: CaptureQuery = {
  url: '',
  fetchedAfter: undefined,
  fetchedBefore: undefined,
  pageSize: 1_000,
  pageToken: '',
};

async function list(tenantId: string, query: Partial<CaptureQuery> = {}): Promise<string[]> {
  const { captures } = await listCaptures(deps, tenantId, { ...ALL, ...query });
  return captures.map(({ captureId }) => captureId);
}

test('captures are listed newest first, page by page, by URL and by time', async () => {
  await insertTenants(database, 'lists');
  const url = 'https://a.test/often';
  const captureIds: string[] = [];
  for (const hours of [5, 4, 3]) {
    const change = { startedAgoMs: hours * 3_600_000 };
    captureIds.unshift(await store.store({ tenants: ['lists'], url, change }));
    captureIds.unshift(await store.store({ tenants: ['lists'], change }));
  }
  assert.deepEqual(await list('lists'), captureIds);
  assert.deepEqual(
    await list('lists', { url: 'HTTPS://A.test/often#fragment' }),
    captureIds.filter((_, place) => place % 2 === 1),
  );
  const [fetchedAfter, fetchedBefore] = [4.5, 3.5].map((hours) => new Date(Date.now() - hours * 3_600_000));
  assert.deepEqual(await list('lists', { fetchedAfter, fetchedBefore }), captureIds.slice(2, 4));

  const pages: string[][] = [];
  let pageToken = '';
  do {
    const page = await listCaptures(deps, 'lists', { ...ALL, pageSize: 4, pageToken });
    pages.push(page.captures.map(({ captureId }) => captureId));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  assert.deepEqual(pages, [captureIds.slice(0, 4), captureIds.slice(4)]);

  await assert.rejects(list('lists', { pageToken: 'x' }), { kind: 'invalid', reason: 'INVALID_PAGE_TOKEN' });
  await assert.rejects(list('lists', { url: 'ftp://a.test/' }), { kind: 'invalid', reason: 'INVALID_URL' });
});

test('a page of captures with long heads ends where the answer is full', async () => {
  await insertTenants(database, 'heads');
  const headers = [{ name: 'x-long', value: 'x'.repeat(5 * MIB) }];
  for (let count = 0; count < 5; count += 1) await store.store({ tenants: ['heads'], change: { headers } });
  const first = await listCaptures(deps, 'heads', ALL);
  assert.equal(first.captures.length, 3);
  const second = await listCaptures(deps, 'heads', { ...ALL, pageToken: first.nextPageToken });
  assert.deepEqual([second.captures.length, second.nextPageToken], [2, '']);
});
