import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exchange, KEYS, openSession, startTestApi } from './api-server.ts';

test('probes: healthz says that the process runs, readyz whether it wants work', async () => {
  await using api = await startTestApi();
  assert.equal((await fetch(`${api.url}/healthz`)).status, 200);
  assert.equal((await fetch(`${api.url}/readyz`)).status, 200);
  api.readiness.report('postgres', 'connection refused');
  assert.equal((await fetch(`${api.url}/healthz`)).status, 200);
  const unready = await fetch(`${api.url}/readyz`);
  assert.equal(unready.status, 503);
  assert.deepEqual(await unready.json(), { ready: false, parts: { postgres: 'connection refused' } });
});

test('public pages are readable without a key, and locked down', async () => {
  await using api = await startTestApi({
    env: { DECORUM_CONTACT: 'crawler@decorum-crawl.net', DECORUM_EGRESS_ADDRESSES: '192.0.2.1' },
  });
  const bot = await fetch(`${api.url}/bot?from=log`);
  assert.equal(bot.status, 200);
  assert.match(bot.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.match(await bot.text(), /crawler@decorum-crawl\.net/);
  const ranges = (await (await fetch(`${api.url}/bot/ip-ranges.json`)).json()) as { prefixes: unknown };
  assert.deepEqual(ranges.prefixes, [{ ipv4Prefix: '192.0.2.1/32' }]);
});

test('HEAD answers without a body, other methods and paths are refused', async () => {
  await using api = await startTestApi();
  const head = await fetch(`${api.url}/bot`, { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.ok(Number(head.headers.get('content-length')) > 1_000);
  assert.equal(await head.text(), '');
  const put = await fetch(`${api.url}/bot`, { method: 'PUT', body: 'x' });
  assert.equal(put.status, 405);
  assert.equal(put.headers.get('allow'), 'GET, HEAD');
  assert.equal((await fetch(`${api.url}/nothing`)).status, 404);
});

test('the gRPC port has no pages', async () => {
  await using api = await startTestApi();
  await using session = await openSession(api.grpcAddress);
  const { headers } = await exchange(session, { ':path': '/metrics' });
  assert.equal(headers[':status'], 404);
});

test('a page that fails is a 500 without its text', async () => {
  const pages = new Map([
    [
      '/broken',
      () => {
        throw new Error('s3cr3t');
      },
    ],
  ]);
  await using api = await startTestApi({ pages });
  const response = await fetch(`${api.url}/broken`);
  assert.equal(response.status, 500);
  assert.doesNotMatch(await response.text(), /s3cr3t/);
  assert.ok(api.log().some(({ message }) => message === 'a page failed'));
});

test('browsers may call from our own origin only', async () => {
  await using api = await startTestApi({ env: { DECORUM_PUBLIC_URL: 'https://crawler.decorum-crawl.net' } });
  const call = (origin: string, method = 'POST') =>
    fetch(`${api.url}/decorum.admin.v1.TenantService/ListPurposes`, {
      method,
      headers: { origin, authorization: `Bearer ${KEYS.operator}`, 'content-type': 'application/json' },
      ...(method === 'POST' ? { body: '{}' } : {}),
    });
  assert.equal((await call(api.url)).status, 200);
  assert.equal((await call('https://crawler.decorum-crawl.net')).status, 200);
  for (const origin of ['https://evil.test', 'null', `${api.url}0`]) {
    const refused = await call(origin);
    assert.equal(refused.status, 403, origin);
    assert.equal(refused.headers.get('access-control-allow-origin'), null);
    assert.equal((await call(origin, 'OPTIONS')).status, 403);
  }
});
