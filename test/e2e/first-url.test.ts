/**
 * One URL through all layers, asked for by other people's clients: each submits it, sees it end and reads what was fetched.
 * The platform runs as its users start it, the web is the test web, and its referee has the last word.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { credentials, loadPackageDefinition, Metadata, type ServiceError } from '@grpc/grpc-js';
import { load } from '@grpc/proto-loader';
import { connect } from '@decorum/sdk/index.ts';
import { startPlatform, type Platform } from '../support/platform.ts';
import { startTestWeb, type TestWeb } from '../support/web/start-test-web.ts';

const PROTO = join(import.meta.dirname, '../../proto');
const BUF = join(import.meta.dirname, '../../node_modules/.bin/buf');
const END_MS_MAX = 30_000;
const POLL_MS = 200;

const HELLO = '<!doctype html><title>hello</title><p>Grüße</p>';
const run = promisify(execFile);
const HOSTS = ['grpc', 'buf', 'json', 'sdk', 'shared', 'denied'].map((name) => `${name}.test`);

let web: TestWeb;
let platform: Platform;
let key: string;
let dataDir: string;

before(async () => {
  web = await startTestWeb({
    seed: 1,
    sites: HOSTS.map((host) => ({
      host,
      addresses: ['127.64.2.1'],
      robots: {
        text: host === 'denied.test' ? 'User-agent: *\nDisallow: /\n' : 'User-agent: *\nDisallow: /private\n',
      },
      pages: { kind: 'generated', count: 5 },
      literals: { '/hello': { contentType: 'text/html', body: HELLO } },
    })),
  });
  dataDir = await mkdtemp(join(tmpdir(), 'decorum-first-url-'));
  platform = await startPlatform({
    dataDir,
    env: { DECORUM_DNS_SERVERS: web.dnsServer, DECORUM_ALLOW_ADDRESSES: '127.64.0.0/10' },
  });
  key = await platform.createTenant('search', 'SEARCH');
});

after(async () => {
  const verdict = await web.report();
  await platform[Symbol.asyncDispose]();
  await web.stop();
  await rm(dataDir, { recursive: true, force: true });
  assert.deepEqual(verdict.violations, []);
});

/** Asks until the answer is not pending. */
async function untilEnded<T>(ask: () => Promise<T>, isEnded: (answer: T) => boolean): Promise<T> {
  const endsAt = performance.now() + END_MS_MAX;
  for (;;) {
    const answer = await ask();
    if (isEnded(answer)) return answer;
    assert.ok(performance.now() < endsAt, `no end in sight: ${JSON.stringify(answer)}`);
    await sleep(POLL_MS);
  }
}

type JsonItem = {
  status: string;
  result?: { kind?: string; finalUrl?: string; capture?: { captureId: string } };
};
type JsonResults = { items: JsonItem[] };
const isFound = ({ items }: JsonResults) => items[0]?.status === 'RESULT_STATUS_FOUND';

test('a stock grpc-js client made from the .proto files submits a URL and sees it end', async () => {
  const definition = await load(
    ['decorum/crawl/v1/crawl_service.proto', 'decorum/crawl/v1/result_service.proto'],
    { includeDirs: [PROTO], enums: String, longs: String },
  );
  type Stub = new (
    address: string,
    channel: ReturnType<typeof credentials.createInsecure>,
  ) => Record<
    string,
    (request: object, metadata: Metadata, done: (error: ServiceError | null, answer: unknown) => void) => void
  > & { close: () => void };
  const stubs = loadPackageDefinition(definition) as unknown as {
    decorum: { crawl: { v1: Record<'CrawlService' | 'ResultService', Stub> } };
  };
  const { CrawlService, ResultService } = stubs.decorum.crawl.v1;
  const address = new URL(platform.url).host;
  const crawl = new CrawlService(address, credentials.createInsecure());
  const results = new ResultService(address, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${key}`);
  const call = <T>(stub: InstanceType<Stub>, method: string, request: object): Promise<T> =>
    new Promise((resolve, reject) => {
      stub[method]?.(request, metadata, (error, answer) => {
        if (error === null) resolve(answer as T);
        else reject(new Error(error.message, { cause: error }));
      });
    });
  const { outcomes } = await call<{ outcomes: { status: string; requestId: string }[] }>(crawl, 'submit', {
    requestId: 'grpc-1',
    requests: [{ url: web.url('grpc.test', '/page/1') }],
  });
  assert.equal(outcomes[0]?.status, 'SUBMIT_STATUS_ACCEPTED');
  const requestIds = outcomes.map(({ requestId }) => requestId);
  const { items } = await untilEnded(() => call<JsonResults>(results, 'getResults', { requestIds }), isFound);
  assert.equal(items[0]?.result?.kind, 'RESULT_KIND_PAGE');
  crawl.close();
  results.close();
});

test('buf curl by reflection submits a URL and sees it end', async () => {
  const call = async (method: string, request: object) => {
    const { stdout } = await run(BUF, [
      'curl',
      ...['--protocol', 'grpc', '--http2-prior-knowledge', '--header', `authorization: Bearer ${key}`],
      ...['--data', JSON.stringify(request), `${platform.url}/${method}`],
    ]);
    return JSON.parse(stdout) as unknown;
  };
  const { outcomes } = (await call('decorum.crawl.v1.CrawlService/Submit', {
    requestId: 'buf-1',
    requests: [{ url: web.url('buf.test', '/page/1') }],
  })) as { outcomes: { requestId: string }[] };
  const requestIds = outcomes.map(({ requestId }) => requestId);
  const { items } = await untilEnded(
    async () => (await call('decorum.crawl.v1.ResultService/GetResults', { requestIds })) as JsonResults,
    isFound,
  );
  assert.equal(items[0]?.result?.kind, 'RESULT_KIND_PAGE');
});

async function curl(method: string, request: object): Promise<unknown> {
  const { stdout } = await run('curl', [
    ...['--silent', '--show-error', '--header', 'content-type: application/json'],
    ...['--header', `authorization: Bearer ${key}`, '--data', JSON.stringify(request)],
    `${platform.httpUrl}/${method}`,
  ]);
  return JSON.parse(stdout) as unknown;
}

test('curl with JSON submits a URL, sees it end and reads its links', async () => {
  const url = web.url('json.test', '/');
  const { outcomes } = (await curl('decorum.crawl.v1.CrawlService/Submit', {
    requestId: 'json-1',
    requests: [{ url }],
  })) as { outcomes: { requestId: string }[] };
  const requestIds = outcomes.map(({ requestId }) => requestId);
  const { items } = await untilEnded(
    async () => (await curl('decorum.crawl.v1.ResultService/GetResults', { requestIds })) as JsonResults,
    isFound,
  );
  const captureId = items[0]?.result?.capture?.captureId;
  const { links } = (await curl('decorum.crawl.v1.ContentService/ReadLinks', { captureId })) as {
    links: string[];
  };
  assert.ok(links.includes(web.url('json.test', '/page/1')), links.join(' '));
});

test('the SDK submits, receives the result over JetStream and reads the body', async () => {
  await using crawl = connect({ url: platform.url, key });
  const url = web.url('sdk.test', '/hello');
  const accepted: string[] = [];
  for await (const { requestId } of crawl.submit([url])) accepted.push(requestId ?? '');
  for await (const result of crawl.results({ group: 'test' })) {
    result.ack();
    if (result.requestId !== accepted[0]) continue;
    assert.equal(result.kind, 'PAGE');
    assert.equal(result.finalUrl, url);
    assert.equal(await result.body().text(), HELLO);
    break;
  }
});

test('a page that has not changed is asked for conditionally, and its body is still there to read', async () => {
  await using crawl = connect({ url: platform.url, key });
  const url = web.url('grpc.test', '/page/2');
  const kinds: string[] = [];
  const bodies: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    const accepted: string[] = [];
    for await (const { requestId } of crawl.submit([url])) accepted.push(requestId ?? '');
    const [answer] = await untilEnded(
      () => crawl.getResults({ requestIds: accepted }),
      (items) => items.every(({ status }) => status === 'FOUND'),
    );
    kinds.push(answer?.result?.kind ?? '');
    bodies.push(await crawl.body(answer?.result?.capture?.captureId ?? '').text());
  }
  assert.deepEqual(kinds, ['PAGE', 'NOT_MODIFIED']);
  assert.equal(bodies[1], bodies[0]);
});

test('what robots.txt forbids ends as ROBOTS_DENIED with the deciding line, and is never fetched', async () => {
  await using crawl = connect({ url: platform.url, key });
  const urls = [web.url('denied.test', '/'), web.url('shared.test', '/private/1')];
  const accepted: string[] = [];
  for await (const { requestId } of crawl.submit(urls)) accepted.push(requestId ?? '');
  const answers = await untilEnded(
    () => crawl.getResults({ requestIds: accepted }),
    (items) => items.every(({ status }) => status === 'FOUND'),
  );
  for (const { result } of answers) {
    assert.equal(result?.kind, 'ROBOTS_DENIED');
    assert.match(result.detail ?? '', /Disallow/);
  }
  const log = await web.log();
  const paths = log.flatMap((entry) =>
    entry.kind === 'request' && entry.host.startsWith('denied.test') ? [entry.path] : [],
  );
  assert.deepEqual([...new Set(paths)], ['/robots.txt']);
});

test('a tenant reads nothing of another tenant', async () => {
  const otherKey = await platform.createTenant('ml', 'AI_TRAIN');
  await using own = connect({ url: platform.url, key });
  await using other = connect({ url: platform.url, key: otherKey });
  const accepted: string[] = [];
  for await (const { requestId } of own.submit([web.url('shared.test', '/page/1')]))
    accepted.push(requestId ?? '');
  const [answer] = await untilEnded(
    () => own.getResults({ requestIds: accepted }),
    (items) => items.every(({ status }) => status === 'FOUND'),
  );
  const captureId = answer?.result?.capture?.captureId ?? '';
  const [foreign] = await other.getResults({ requestIds: accepted });
  assert.equal(foreign?.status, 'NOT_FOUND');
  await assert.rejects(other.body(captureId).bytes(), { code: 'not_found' });
  await assert.rejects(other.api.content.getCapture({ captureId }), { code: 'not_found' });
});
