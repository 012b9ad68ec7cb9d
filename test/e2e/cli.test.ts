/** `decorum` as people run it, against a platform as they start it: what it prints, and what its exit code says. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startPlatform, type Platform } from '../support/platform.ts';
import { startTestWeb, type TestWeb } from '../support/web/start-test-web.ts';

const BIN = fileURLToPath(new URL('../../server/cli/decorum.ts', import.meta.url));
const PAGE = '<!doctype html><title>page</title><p>\u001b[31mred</p>';

let web: TestWeb;
let platform: Platform;
let dir: string;
let key = '';

before(async () => {
  web = await startTestWeb({
    seed: 1,
    sites: ['one.test', 'two.test'].map((host) => ({
      host,
      addresses: ['127.64.3.1'],
      robots: { text: 'User-agent: *\nDisallow: /private\n' },
      pages: { kind: 'generated', count: 5 },
      literals: { '/hello': { contentType: 'text/html', body: PAGE } },
    })),
  });
  dir = await mkdtemp(join(tmpdir(), 'decorum-cli-'));
  platform = await startPlatform({
    dataDir: join(dir, 'data'),
    env: { DECORUM_DNS_SERVERS: web.dnsServer, DECORUM_ALLOW_ADDRESSES: '127.64.0.0/10' },
  });
});

after(async () => {
  await platform[Symbol.asyncDispose]();
  await web.stop();
  await rm(dir, { recursive: true, force: true });
});

type Outcome = { readonly code: number | null; readonly out: string; readonly err: string };
type RunOptions = {
  readonly stdin?: string;
  readonly env?: Record<string, string>;
  readonly onOutput?: (child: ReturnType<typeof start>) => void;
};

function start(args: readonly string[], env: Record<string, string> = {}) {
  return spawn(BIN, args, {
    env: {
      ...process.env,
      DECORUM_URL: platform.url,
      DECORUM_KEY: key,
      DECORUM_DATA_DIR: platform.dataDir,
      DECORUM_HTTP_ADDRESS: new URL(platform.httpUrl).host,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

async function decorum(
  args: readonly string[],
  { stdin = '', env, onOutput }: RunOptions = {},
): Promise<Outcome> {
  const child = start(args, env);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
    onOutput?.(child);
  });
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  child.stdin.end(stdin);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

const objects = (out: string) =>
  out
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('an operator makes a tenant and its key with the key file of the machine, and is told which it was', async () => {
  const created = await decorum([
    'tenant',
    'create',
    'search',
    '--purpose',
    'search',
    '--name',
    'Search',
    '--weight',
    '3',
  ]);
  assert.equal(created.code, 0, created.err);
  assert.match(created.out, /^tenant +search$/m);
  assert.match(created.err, /Using the key in .*operator\.key/);
  const again = await decorum(['tenant', 'create', 'search', '--purpose', 'search']);
  assert.equal(again.code, 1);
  assert.equal(again.err.trim().split('\n').length, 2);

  const listed = objects((await decorum(['tenant', 'list', '--json'])).out);
  assert.ok(listed.some(({ tenantId, weight }) => tenantId === 'search' && weight === 3));
  const shown = await decorum(['tenant', 'show', 'search']);
  assert.match(shown.out, /^weight +3$/m);
  assert.equal((await decorum(['tenant', 'show', 'nobody'])).code, 6);

  const made = await decorum(['key', 'create', '--role', 'tenant', '--tenant', 'search', '--json']);
  const [fields] = objects(made.out);
  assert.equal(typeof fields?.['key'], 'string');
  key = String(fields?.['key']);
  assert.equal((await decorum(['tenant', 'list'])).code, 5, "a tenant's key is no operator's");
});

test('submit tells of each URL, waits for the results, and says by its exit code that some were refused', async () => {
  const hello = web.url('one.test', '/hello');
  const file = join(dir, 'urls.txt');
  await writeFile(
    file,
    `# two\n${web.url('two.test', '/hello')}\n{"url":"${web.url('two.test', '/private/x')}","label":"own"}\n`,
  );
  const { code, out } = await decorum(
    ['submit', hello, file, '-', '--label', 'cli', '--wait', '60s', '--json'],
    { stdin: 'ftp://one.test/\n' },
  );
  assert.equal(code, 3);
  const lines = objects(out);
  assert.deepEqual(
    lines.slice(0, 4).map(({ status }) => status),
    ['ACCEPTED', 'ACCEPTED', 'ACCEPTED', 'REFUSED'],
  );
  assert.deepEqual(lines[3], { ...lines[3], index: 3, url: 'ftp://one.test/', refusal: 'INVALID_URL' });
  const results = new Map(lines.slice(4).map((result) => [result['url'], result]));
  assert.equal(results.size, 3);
  assert.equal(results.get(hello)?.['kind'], 'PAGE');
  assert.equal(results.get(hello)?.['label'], 'cli');
  assert.equal(results.get(web.url('two.test', '/private/x'))?.['kind'], 'ROBOTS_DENIED');
  assert.equal(results.get(web.url('two.test', '/private/x'))?.['label'], 'own');
});

test('results come once for a group, as a table or as objects; a limit leaves the rest', async () => {
  const first = await decorum(['results', '--limit', '1', '--json']);
  assert.equal(first.code, 0, first.err);
  assert.deepEqual(
    objects(first.out).map(({ number }) => number),
    [1],
  );
  const rest = await decorum(['results']);
  const rows = rest.out.trim().split('\n');
  assert.match(rows[0] ?? '', /^ *NUMBER +KIND +CODE/);
  assert.equal(rows.length, 3);
  const none = await decorum(['results']);
  assert.deepEqual([none.code, none.out], [0, '']);
  assert.match(none.err, /No results are waiting for group cli/);
  assert.equal(objects((await decorum(['results', '--group', 'other', '--no-ack', '--json'])).out).length, 3);
  assert.equal(objects((await decorum(['results', '--group', 'other', '--json'])).out).length, 3);
});

test('body writes the bytes of a capture, found by its id or its URL, and nothing else', async () => {
  const url = web.url('one.test', '/hello');
  const byUrl = await decorum(['body', url]);
  assert.deepEqual([byUrl.code, byUrl.out], [0, PAGE]);
  const results = objects((await decorum(['results', '--group', 'third', '--json'])).out);
  const { captureId } = results.find((result) => result['url'] === url)?.['capture'] as { captureId: string };
  const file = join(dir, 'body.html');
  assert.equal((await decorum(['body', captureId, '-o', file])).code, 0);
  assert.equal(await readFile(file, 'utf8'), PAGE);
  assert.equal((await decorum(['body', 'http://never.test/'])).code, 6);
  assert.equal((await decorum(['body', '00000000-0000-4000-8000-000000000000'])).code, 6);
});

test('Ctrl-C ends --follow with 130 and leaves what was printed acknowledged', async () => {
  let isTold = false;
  const followed = await decorum(['results', '--group', 'followers', '--follow', '--json'], {
    onOutput: (child) => {
      // A second one ends it at once.
      if (!isTold) child.kill('SIGINT');
      isTold = true;
    },
  });
  assert.equal(followed.code, 130);
  assert.equal(followed.err, '');
  const printed = objects(followed.out).length;
  const rest = objects((await decorum(['results', '--group', 'followers', '--json'])).out);
  assert.equal(printed + rest.length, 3);
});

test('a reader that leaves ends the command quietly', async () => {
  const child = start(['results', '--group', 'pipes', '--follow', '--json']);
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const closed = once(child, 'close') as Promise<[number | null]>;
  await once(child.stdout, 'data');
  child.stdout.destroy();
  // The next result is what finds the pipe closed.
  await decorum(['submit', web.url('one.test', '/page/1'), '--wait']);
  const [code] = await closed;
  assert.deepEqual([code, err], [0, '']);
});

test('doctor finds a platform that works, and what does not', async () => {
  const well = await decorum(['doctor', '--json'], { env: { DECORUM_DNS_SERVERS: web.dnsServer } });
  const findings = new Map(objects(well.out).map((finding) => [finding['check'], finding]));
  assert.equal(well.code, 0, well.out);
  for (const check of ['node', 'API', 'key', 'readiness', 'clock', 'operator.key', 'DNS']) {
    assert.equal(findings.get(check)?.['state'], 'ok', check);
  }
  const sick = await decorum(['doctor', '--json'], {
    env: { DECORUM_URL: 'http://127.0.0.1:9', DECORUM_LEASE_MS: 'soon', DECORUM_KEY: '' },
  });
  assert.equal(sick.code, 1);
  const failed = objects(sick.out).filter(({ state }) => state === 'fail');
  assert.deepEqual(failed.map(({ check }) => check).sort(), ['API', 'configuration']);
  assert.ok(failed.every(({ remedy }) => typeof remedy === 'string' && remedy !== ''));
});

test('a platform that is not there: exit code 4 and a line that says what to do', async () => {
  const { code, err } = await decorum(['submit', 'http://one.test/'], {
    env: { DECORUM_URL: 'http://127.0.0.1:9' },
  });
  assert.equal(code, 4);
  assert.match(err, /^decorum: no connection to 127\.0\.0\.1:9 .*npm start.*\n$/);
});

test('a key that was revoked opens nothing', async () => {
  const env = { DECORUM_KEY: platform.operatorKey };
  const [made] = objects(
    (await decorum(['key', 'create', '--role', 'tenant', '--tenant', 'search', '--json'], { env })).out,
  );
  assert.equal((await decorum(['key', 'revoke', String(made?.['keyId'])], { env })).code, 0);
  const { code, err } = await decorum(['results'], { env: { DECORUM_KEY: String(made?.['key']) } });
  assert.equal(code, 5, err);
});
