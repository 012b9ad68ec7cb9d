import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { Resolver } from 'node:dns/promises';
import { connect } from 'node:net';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { startTestWeb, type TestWeb } from '../support/web/start-test-web.ts';
import type { SiteConfig, WebConfig } from '../support/web/web-config.ts';
import type { RequestEntry } from '../support/web/web-log.ts';

const ADDRESS = '127.64.8.1';

const generated = (host: string, more: Partial<SiteConfig> = {}): SiteConfig => ({
  host,
  addresses: [ADDRESS],
  pages: { kind: 'generated', count: 30 },
  ...more,
});

type Fetched = { status: number; headers: IncomingMessage['headers']; body: Buffer; isWhole: boolean };

/** Fetches over a fresh connection; rejects when it breaks before a head, and is not whole when it breaks later. */
function fetchFrom(
  web: TestWeb,
  host: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<Fetched> {
  return new Promise((resolve, reject) => {
    const options = {
      host: ADDRESS,
      port: web.port,
      path,
      agent: false,
      headers: { host: `${host}:${web.port}`, ...headers },
    };
    const request = httpRequest(options, (response) => {
      request.off('error', reject).on('error', () => undefined);
      const chunks: Buffer[] = [];
      const finish = (): void =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
          isWhole: response.complete,
        });
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', finish);
      response.on('end', finish);
    });
    request.on('error', reject);
    request.end();
  });
}

const linksOf = ({ body }: Fetched): string[] =>
  [...body.toString().matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link);

describe('generated pages', () => {
  const config: WebConfig = { seed: 7, sites: [generated('a.test'), generated('b.test')] };

  it('are the same for the same seed and port, others for another seed, and all reachable from /', async () => {
    await using web = await startTestWeb(config);
    const home = await fetchFrom(web, 'a.test', '/');
    const seen = new Set(['/']);
    for (const path of seen)
      for (const link of linksOf(await fetchFrom(web, 'a.test', path)))
        if (link.startsWith('/')) seen.add(link);
    assert.equal(seen.size, 30);
    assert.ok(linksOf(home).some((link) => link.startsWith(`http://b.test:${web.port}/`)));
    assert.equal((await fetchFrom(web, 'a.test', '/page/30')).status, 404);
    const { port } = web;
    await web.stop();
    await using again = await startTestWeb({ ...config, port });
    assert.deepEqual((await fetchFrom(again, 'a.test', '/')).body, home.body);
    await again.stop();
    await using other = await startTestWeb({ ...config, port, seed: 8 });
    assert.notDeepEqual((await fetchFrom(other, 'a.test', '/')).body, home.body);
  });
});

describe('a running test web', () => {
  let web: TestWeb;
  before(async () => {
    web = await startTestWeb({
      seed: 1,
      sites: [
        generated('sick.test'),
        generated('slow.test', { latencyMs: { min: 20, max: 40 } }),
        generated('elsewhere.test', { addresses: ['127.64.8.2'] }),
        generated('moved-rules.test', {
          robots: { redirect: '/rules.txt' },
          literals: {
            '/rules.txt': { body: 'User-agent: *\nDisallow: /x', contentType: 'text/plain', isRobots: true },
          },
        }),
      ],
      dns: {
        'rebinding.test': [{ a: [ADDRESS], ttlSeconds: 0 }, { a: ['127.0.0.1'] }],
        'alias.test': { cname: 'sick.test', a: [ADDRESS] },
        'six.test': { aaaa: ['2001:db8::1'] },
        'broken.test': { status: 'servfail' },
        'silent.test': { status: 'timeout' },
        'gone.test': { status: 'nxdomain' },
      },
    });
  });
  after(async () => web.stop());

  it('answers DNS by record type, in sequence, with errors and with silence', async () => {
    const resolver = new Resolver({ timeout: 300, tries: 1 });
    resolver.setServers([web.dnsServer]);
    const codeOf = async (name: string): Promise<unknown> =>
      resolver.resolve4(name).then(
        () => 'answered',
        (error: unknown) => (error as NodeJS.ErrnoException).code,
      );
    assert.deepEqual(await resolver.resolve4('SICK.test', { ttl: true }), [{ address: ADDRESS, ttl: 60 }]);
    const answers = [];
    for (let query = 0; query < 3; query++)
      answers.push(await resolver.resolve4('rebinding.test', { ttl: true }));
    assert.deepEqual(answers.flat(), [
      { address: ADDRESS, ttl: 0 },
      { address: '127.0.0.1', ttl: 60 },
      { address: '127.0.0.1', ttl: 60 },
    ]);
    assert.deepEqual(await resolver.resolve4('alias.test'), [ADDRESS]);
    assert.deepEqual(await resolver.resolve6('six.test'), ['2001:db8::1']);
    assert.deepEqual(
      await Promise.all(
        ['six.test', 'broken.test', 'silent.test', 'gone.test', 'never-heard-of.test'].map(codeOf),
      ),
      ['ENODATA', 'ESERVFAIL', 'ETIMEOUT', 'ENOTFOUND', 'ENOTFOUND'],
    );
    await web.change({ dns: { 'rebinding.test': { a: ['127.64.8.9'] } } });
    assert.deepEqual(await resolver.resolve4('rebinding.test'), ['127.64.8.9']);
  });

  it('answers only for hosts that live at the address', async () => {
    assert.equal((await fetchFrom(web, 'elsewhere.test', '/')).status, 421);
    assert.equal((await fetchFrom(web, 'unknown.test', '/')).status, 421);
    assert.equal((await fetchFrom(web, 'sick.test', '/')).status, 200);
  });

  it('has pathologies that are sick as they say', async () => {
    const ask = (path: string, headers?: Record<string, string>): Promise<Fetched> =>
      fetchFrom(web, 'sick.test', path, headers);
    const refused = await ask('/status/503?retry-after=120');
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '120']);
    assert.deepEqual([(await ask('/flaky/1')).status, (await ask('/flaky/1')).status], [503, 200]);
    assert.equal(
      (await ask('/redirect/2?to=http://slow.test/')).headers.location,
      '/redirect/1?to=http%3A%2F%2Fslow.test%2F',
    );
    assert.equal((await ask('/redirect/1?to=http://slow.test/')).headers.location, 'http://slow.test/');
    assert.equal((await ask('/loop')).headers.location, '/loop/back');
    assert.equal((await ask('/loop/back')).headers.location, '/loop');
    assert.equal((await ask('/big?bytes=3000000')).body.length, 3_000_000);
    assert.equal((await ask('/drip?bytes=5&everyMs=1')).body.length, 5);
    assert.equal((await ask('/truncated')).isWhole, false);
    assert.equal((await ask('/reset?bytes=10')).isWhole, false);
    await assert.rejects(ask('/reset'), { code: 'ECONNRESET' });
    await assert.rejects(ask('/badheader'), /Parse Error/);
    await assert.rejects(ask('/headers?bytes=20000'), { code: 'HPE_HEADER_OVERFLOW' });
    assert.match(gunzipSync((await ask('/gzip')).body).toString(), /<title>gzip/);
    assert.equal((await ask('/chunked')).headers['transfer-encoding'], 'chunked');
    assert.match((await ask('/close')).body.toString(), /until the end/);
    assert.equal((await ask('/noindex?header=none')).headers['x-robots-tag'], 'none');
    assert.equal((await ask('/etag', { 'if-none-match': '"the-same-for-ever"' })).status, 304);
  });

  it('stalls after some bytes until the client leaves, and notes that it left', async () => {
    const socket = connect(web.port, ADDRESS);
    socket.write('GET /stall?bytes=10 HTTP/1.1\r\nHost: sick.test\r\n\r\n');
    let received = '';
    while (!/\r\n\r\n.{10}$/.test(received)) received += String((await once(socket, 'data'))[0]);
    const stalled = (): Promise<RequestEntry | undefined> =>
      web
        .log()
        .then((entries) =>
          entries.find((entry) => entry.kind === 'request' && entry.path.startsWith('/stall')),
        ) as Promise<RequestEntry | undefined>;
    assert.equal((await stalled())?.endedAt, null);
    socket.destroy();
    let entry = await stalled();
    while (entry?.endedAt === null) entry = await stalled();
    assert.deepEqual([entry?.clientLeft, entry?.isComplete], [true, false]);
  });

  it('revalidates every page and answers HEAD without a body', async () => {
    const page = await fetchFrom(web, 'sick.test', '/page/1');
    const again = await fetchFrom(web, 'sick.test', '/page/1', {
      'if-none-match': String(page.headers.etag),
    });
    assert.deepEqual([again.status, again.body.length], [304, 0]);
    const socket = connect(web.port, ADDRESS);
    socket.end('HEAD /page/1 HTTP/1.0\r\nHost: sick.test\r\n\r\n');
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n$/);
  });

  it('logs each request with its times, bytes and end, and the rules that a robots redirect ends in', async () => {
    await fetchFrom(web, 'moved-rules.test', '/robots.txt', { 'user-agent': 'decorumbot/1.0' });
    await fetchFrom(web, 'moved-rules.test', '/rules.txt');
    const entries = await web.log();
    const own = entries.filter(
      (entry) => entry.kind === 'request' && entry.host.startsWith('moved-rules.test'),
    );
    const [moved, rules] = own;
    assert.ok(moved?.kind === 'request' && rules?.kind === 'request');
    assert.deepEqual(
      [moved.userAgent, moved.location],
      ['decorumbot/1.0', web.url('moved-rules.test', '/rules.txt')],
    );
    assert.equal(rules.robotsText, 'User-agent: *\nDisallow: /x');
    const connection = entries.find((entry) => entry.kind === 'connection' && entry.id === moved.connection);
    assert.ok(connection?.kind === 'connection' && connection.closedAt !== null && moved.endedAt !== null);
    assert.ok(connection.acceptedAt <= moved.startedAt);
    assert.ok(moved.startedAt <= moved.endedAt && moved.endedAt <= connection.closedAt);
    assert.ok(moved.bytes > 100 && moved.isComplete && !moved.clientLeft);
  });

  it('writes its log as JSON lines', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'test-web-'));
    await web.writeLog(join(folder, 'log.jsonl'));
    const lines = (await readFile(join(folder, 'log.jsonl'), 'utf8')).trimEnd().split('\n');
    assert.equal(lines.length, (await web.log()).length - 1);
    assert.ok(lines.every((line) => 'kind' in (JSON.parse(line) as object)));
    await rm(folder, { recursive: true });
  });
});

describe('pages from files', () => {
  it('are served as they are, listed at /, moved where the config says, and never from outside the folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'test-web-'));
    await mkdir(join(folder, 'site', 'classes'), { recursive: true });
    await writeFile(join(folder, 'secret.html'), 'secret');
    await writeFile(join(folder, 'site', 'classes', 'A b.html'), '<p>A</p>');
    await writeFile(join(folder, 'site', 'classes', 'a.css'), 'p {}');
    await writeFile(join(folder, 'site', 'notes.html'), 'notes');
    const pages = {
      kind: 'files',
      folder: join(folder, 'site'),
      only: ['/classes/'],
      moved: { '/files/': 'f.test' },
    } as const;
    await using web = await startTestWeb({
      seed: 1,
      sites: [{ host: 'docs.test', addresses: [ADDRESS], pages: { ...pages, only: [...pages.only] } }],
    });
    const ask = (path: string): Promise<Fetched> => fetchFrom(web, 'docs.test', path);
    assert.deepEqual(linksOf(await ask('/')), ['/classes/A%20b.html']);
    assert.equal((await ask('/classes/A%20b.html')).body.toString(), '<p>A</p>');
    assert.equal((await ask('/classes/a.css')).headers['content-type'], 'text/css');
    assert.equal((await ask('/notes.html')).status, 404);
    assert.equal((await ask('/files/x.html?y')).headers.location, web.url('f.test', '/files/x.html?y'));
    for (const path of [
      '/../secret.html',
      '/classes/../../secret.html',
      '/classes/..%2f..%2fsecret.html',
      '/%2e%2e/secret.html',
    ])
      assert.equal((await ask(path)).status, 404, path);
    await rm(folder, { recursive: true });
  });
});

describe('the process of a test web', () => {
  it('ends when its parent is killed', async () => {
    const script = `
      const { startTestWeb } = await import(${JSON.stringify(new URL('../support/web/start-test-web.ts', import.meta.url))});
      const web = await startTestWeb({ seed: 1, sites: [{ host: 'a.test', addresses: ['${ADDRESS}'], pages: { kind: 'generated', count: 1 } }] });
      console.log(web.port);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [port] = (await once(createInterface(parent.stdout), 'line')) as [string];
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    for (;;) {
      const socket = connect(Number(port), ADDRESS);
      const refused = await Promise.race([
        once(socket, 'connect').then(() => false),
        once(socket, 'error').then(
          () => true,
          () => true,
        ),
      ]).catch(() => true);
      socket.destroy();
      if (refused) return;
    }
  });

  it('fails its start, and leaves nothing behind, when an address cannot be had', async () => {
    await using web = await startTestWeb({ seed: 1, sites: [generated('a.test')] });
    await assert.rejects(
      startTestWeb({ seed: 1, port: web.port, sites: [generated('a.test')] }),
      /EADDRINUSE/,
    );
  });
});
