/** CrawlService over gRPC as the `decorum` commands use it, on a real database. */
import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { CrawlService } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import { API_COMMANDS } from '@decorum/sdk/cli/api-commands.ts';
import { runCli } from '@decorum/sdk/cli/run-cli.ts';
import { createGrpcTransport } from '@decorum/sdk/transport/grpc-transport.ts';
import type { CrawlHandlerDeps } from '@decorum/server/api/crawl/crawl-handlers.ts';
import { cancelRequests } from '@decorum/server/frontier/cancel.ts';
import { explainUrl } from '@decorum/server/frontier/explain-url.ts';
import { getQuota } from '@decorum/server/frontier/get-quota.ts';
import { getSiteHints } from '@decorum/server/frontier/get-site-hints.ts';
import { listRequests } from '@decorum/server/frontier/list-requests.ts';
import { submitRequests } from '@decorum/server/frontier/submit.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createTestFrontier, exempt, type TestFrontier } from '../support/frontier.ts';
import { KEYS, startTestApi } from './api-server.ts';

let db: TestDatabase;
let frontier: TestFrontier;
let api: Awaited<ReturnType<typeof startTestApi>>;

before(async () => {
  db = await createTestDatabase();
  frontier = await createTestFrontier(db, { search: 'SEARCH' });
  api = await startTestApi({ deps: apiDeps() });
});
after(async () => {
  await api[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});

function apiDeps(): CrawlHandlerDeps {
  const pool = db.general;
  const wake = () => undefined;
  const explainDeps = { pool, productToken: 'decorumbot', lockDelayMs: 60_000, exempt };
  return {
    submit: (input) => submitRequests({ pool, wallMs: Date.now, exempt, wake }, input),
    cancelRequests: (tenantId, selector) => cancelRequests({ pool, wake }, tenantId, selector),
    listRequests: (tenantId, query) => listRequests(pool, tenantId, query),
    explainUrl: (tenantId, url) => explainUrl(explainDeps, tenantId, url),
    getSiteHints: (tenantId, hostOrSite) => getSiteHints(pool, tenantId, hostOrSite),
    getQuota: (tenantId) => getQuota(pool, tenantId),
  };
}

async function decorum(...args: string[]) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const { signal } = new AbortController();
  const code = await runCli({
    ...{ commands: API_COMMANDS, version: '0', args },
    host: { stdin: Readable.from([]), stdout, stderr, signal },
    config: { url: `http://${api.grpcAddress}`, key: KEYS.tenant, operatorKeyFile: '/nonexistent' },
  });
  const read = (stream: PassThrough) => (stream.read() as Buffer | null)?.toString() ?? '';
  return { code, out: read(stdout), err: read(stderr) };
}

const objects = (out: string) =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('requests are listed, explained and cancelled from the command line', async () => {
  const urls = Array.from({ length: 5 }, (_, i) => `http://a.test/${i}`);
  assert.equal((await decorum('submit', ...urls, '--label', 'job', '--band', '2')).code, 0);
  await frontier.submit('search', ['http://b.test/', { url: 'http://a.test/last', band: 1 }]);
  await frontier.resolve();

  const listed = objects((await decorum('requests', '--label', 'job', '--json')).out);
  assert.deepEqual(listed.map(({ url }) => url).sort(), urls);
  assert.deepEqual(
    listed.map(({ state, band, reason, label }) => [state, band, reason, label]),
    urls.map(() => ['WAITING', 2, 'DISCOVERY', 'job']),
  );
  assert.equal(objects((await decorum('requests', '--limit', '3', '--json')).out).length, 3);
  const table = await decorum('requests', '--site', 'b.test', '--state', 'waiting');
  assert.match(table.out, /^REQUEST +STATE .*\n[0-9a-f-]{36} +WAITING .* http:\/\/b\.test\/\n$/);
  const none = await decorum('requests', '--state', 'leased');
  assert.deepEqual([none.code, none.out, none.err], [0, '', 'No such request is pending.\n']);

  const [explanation] = objects((await decorum('explain', 'http://a.test/last', '--json')).out);
  assert.equal(explanation?.['site'], 'a.test');
  assert.equal(explanation['requestsAhead'], 5);
  assert.equal(explanation['estimatedWaitMs'], 5_000);
  assert.deepEqual(explanation['waits'], [
    { reason: 'QUEUE_POSITION', detail: '5 requests are served before' },
  ]);
  const people = await decorum('explain', 'http://a.test/last');
  assert.match(people.out, /^state +WAITING$/m);
  assert.match(people.out, /^estimated wait +5 s$/m);
  const refused = await decorum('explain', 'ftp://a.test/');
  assert.equal(refused.code, 3);
  assert.match(refused.out, /^refused +INVALID_URL$/m);

  const [first, second] = listed.map(({ requestId }) => String(requestId));
  const byId = await decorum('cancel', '--id', first ?? '', second ?? '', '--label', 'job', '--json');
  assert.deepEqual(objects(byId.out), [{ cancelled: 2 }]);
  assert.deepEqual(objects((await decorum('cancel', '--site', 'a.test', '--json')).out), [{ cancelled: 4 }]);
  const all = await decorum('cancel');
  assert.equal(all.code, 2, 'nothing is cancelled without a selector');
  assert.match(all.err, /select by/);
  assert.equal(objects((await decorum('requests', '--json')).out).length, 1);
});

test('hints and quota are served, and what is no request id is refused before it is looked up', async () => {
  await using transport = createGrpcTransport({ url: `http://${api.grpcAddress}`, key: KEYS.tenant });
  const client = createClient(CrawlService, transport);
  const hints = await client.getSiteHints({ site: 'www.b.test' });
  assert.deepEqual(
    [hints.site, hints.pending, hints.delay?.seconds, hints.drainTime?.seconds],
    ['b.test', 1n, 1n, 0n],
  );
  const quota = await client.getQuota({});
  assert.deepEqual([quota.tenantId, quota.purpose, quota.bandMax], ['search', 'SEARCH', 7]);
  assert.deepEqual(
    quota.limits.map(({ name, limit, used }) => [name, limit, used]),
    [['pending_requests', undefined, 1n]],
  );
  await assert.rejects(
    client.cancel({ selector: { requestIds: ['1'] } }),
    (error) => error instanceof ConnectError && error.code === Code.InvalidArgument,
  );
});
