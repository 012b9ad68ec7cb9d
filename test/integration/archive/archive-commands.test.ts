/** The commands on the platform's machine, run against a database and a directory of their own. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { toSegmentPath } from '@decorum/server/archive/segment-path.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createCaptureStore, type CaptureStore } from '../../support/results/capture-store.ts';

const BIN = fileURLToPath(new URL('../../../server/cli/decorum.ts', import.meta.url));

let database: TestDatabase;
let store: CaptureStore;
let captureId = '';
let segmentId = '';

before(async () => {
  database = await createTestDatabase();
  store = await createCaptureStore(database);
  await database.admin`insert into tenant (tenant_id, purpose) values ('search', 'SEARCH')`;
  captureId = await store.store({ tenants: ['search'], url: 'https://a.test/page', body: '<p>hello</p>' });
  const [row] = await database.admin<{ segmentId: string }[]>`select segment_id as "segmentId" from segment`;
  segmentId = row?.segmentId ?? '';
});

after(async () => {
  await store[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

type Outcome = { readonly code: number; readonly out: string; readonly err: string };

function run(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const options = {
    env: { ...process.env, DATABASE_URL: database.url, DECORUM_ARCHIVE_URL: `file://${store.dir}`, ...env },
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [BIN, 'archive', ...args], options, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

const parse = (line: string | undefined) => JSON.parse(line ?? '') as Record<string, unknown>;

test('list shows a segment, and verify finds the archive sound', async () => {
  const list = await run(['list', '--json']);
  assert.deepEqual(
    [list.code, parse(list.out)['segmentId'], parse(list.out)['members']],
    [0, segmentId, '3'],
  );
  const verify = await run(['verify', '--json']);
  assert.equal(verify.code, 0, verify.err);
  const { segments, members, findings } = parse(verify.out);
  assert.deepEqual({ segments, members, findings }, { segments: 1, members: 4, findings: 0 });
});

test('show reads a capture’s records, or the member at a place', async () => {
  const shown = await run(['show', captureId]);
  assert.equal(shown.code, 0, shown.err);
  assert.equal(shown.out.match(/^state +whole$/gm)?.length, 3);
  assert.match(shown.out, /^WARC-Target-URI +https:\/\/a\.test\/page$/m);
  const first = await run(['show', `${segmentId}:0`, '--json']);
  assert.equal(parse(first.out)['state'], 'whole');
  const inside = await run(['show', `${segmentId}:7`]);
  assert.equal(inside.code, 1);
  assert.match(inside.out, /unreadable/);
});

test('what is not there, and what is no place, have exit codes of their own', async () => {
  assert.equal((await run(['show', '00000000-0000-7000-8000-000000000000'])).code, 6);
  assert.equal((await run(['show', `${segmentId}:99999999`])).code, 6);
  assert.equal((await run(['show', 'nonsense'])).code, 2);
  const away = await run(['list'], { DATABASE_URL: 'postgres://127.0.0.1:1/none' });
  assert.equal(away.code, 4);
  assert.match(away.err, /database does not answer/);
});

test('verify names each finding and exits 1', async () => {
  await rm(join(store.dir, toSegmentPath(segmentId)));
  const verify = await run(['verify']);
  assert.equal(verify.code, 1);
  assert.match(verify.out, new RegExp(`${segmentId}.*file_missing`));
});
