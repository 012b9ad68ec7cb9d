import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Truncation } from '@decorum/proto/decorum/crawl/v1/capture_pb.ts';
import { Outcome } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import type { Attempt } from '@decorum/proto/decorum/fetch/v1/attempt_pb.ts';
import type { FetchLimits } from '@decorum/server/fetch/fetch-limits.ts';
import { leaseOf, startFetchRig } from '../support/fetch/fetch-rig.ts';
import { answer, startRawSite, type Respond } from '../support/fetch/raw-site.ts';

/** Fetches one page of a site under limits and answers what was reported. */
async function attemptAt(
  respond: Respond,
  limits: Partial<FetchLimits>,
  maxBodyBytes = 1_000_000n,
): Promise<Attempt> {
  await using site = await startRawSite('127.64.11.1', respond);
  await using rig = await startFetchRig({ limits });
  rig.frontier.grants.push(leaseOf(site, ['/page'], { item: { maxBodyBytes } }));
  await rig.frontier.ended(1);
  await rig.frontier.until(() => site.connections.every(({ closedAtMs }) => closedAtMs < Infinity));
  const attempt = rig.frontier.attemptAt('/page');
  assert.ok(attempt !== undefined);
  return attempt;
}

test('a connection that nobody accepts is given up', async () => {
  const server = createServer().listen({ port: 0, host: '127.64.11.2', backlog: 1 });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await using site = await startRawSite('127.64.11.3', () => undefined);
  await using rig = await startFetchRig({ limits: { connectMs: 500 } });
  // An https lease on a site that accepts and says nothing: the handshake never ends.
  rig.frontier.grants.push(leaseOf(site, ['/tls'], { scheme: 'https', host: 'b.test' }));
  server.close();
  rig.frontier.grants.push(leaseOf(site, ['/closed'], { address: '127.64.11.2', port, host: 'c.test' }));
  await rig.frontier.ended(2);
  assert.equal(rig.frontier.attemptAt('/tls')?.outcome, Outcome.TLS_FAILED);
  assert.match(rig.frontier.attemptAt('/tls')?.detail ?? '', /within 500 ms/);
  assert.equal(rig.frontier.attemptAt('/closed')?.outcome, Outcome.CONNECT_FAILED);
  assert.match(rig.frontier.attemptAt('/closed')?.detail ?? '', /ECONNREFUSED/);
});

test('an answer that does not begin is given up', async () => {
  const attempt = await attemptAt(() => undefined, { firstByteMs: 100 });
  assert.equal(attempt.outcome, Outcome.TIMED_OUT);
  assert.equal(attempt.capture, undefined);
  assert.equal(attempt.responseTime, undefined);
});

test('a head that drips is given up for its pace', async () => {
  const attempt = await attemptAt(
    async (_request, socket) => {
      for (const byte of 'HTTP/1.1 200 OK\r\nX: '.padEnd(2000, 'x')) {
        socket.write(byte);
        await delay(10);
        if (socket.destroyed) return;
      }
    },
    { throughputBytesPerS: 10_000, throughputWindowMs: 100 },
  );
  assert.equal(attempt.outcome, Outcome.TIMED_OUT);
  assert.match(attempt.detail, /less than 10000 bytes\/s over 100 ms/);
});

test('a body that drips is given up for its pace, and what came is kept', async () => {
  const attempt = await attemptAt(
    async (_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
      while (!socket.destroyed) {
        socket.write('x');
        await delay(10);
      }
    },
    { throughputBytesPerS: 10_000, throughputWindowMs: 100 },
  );
  assert.equal(attempt.outcome, Outcome.TIMED_OUT);
  assert.equal(attempt.capture?.truncation, Truncation.TIME);
  assert.ok(attempt.capture.bodyBytes > 0n);
});

test('a body that does not end in time is cut there, marked, and counts as the page', async () => {
  const attempt = await attemptAt(
    async (_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      while (!socket.destroyed) {
        socket.write('3\r\nabc\r\n');
        await delay(5);
      }
    },
    { totalMs: 1_000 },
  );
  assert.equal(attempt.outcome, Outcome.FETCHED);
  assert.equal(attempt.capture?.truncation, Truncation.TIME);
});

test('a head that does not end in time is no page', async () => {
  const attempt = await attemptAt((_request, socket) => void socket.write('HTTP/1.1 200 OK\r\n'), {
    totalMs: 100,
  });
  assert.equal(attempt.outcome, Outcome.TIMED_OUT);
  assert.equal(attempt.capture, undefined);
});

test('a head over its bound is given up, wherever it is long', async () => {
  const limits = { headerBytes: 4096 };
  const heads = [
    `HTTP/1.1 200 ${'x'.repeat(5000)}\r\n\r\n`,
    `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(5000)}\r\n\r\n`,
    `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(1000)}\r\n`,
    'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(200),
  ];
  for (const head of heads) {
    const attempt = await attemptAt((_request, socket) => void socket.write(head), limits);
    assert.equal(attempt.outcome, Outcome.HEADERS_TOO_LARGE, head.slice(0, 30));
    assert.equal(attempt.capture, undefined);
  }
  const fits = await attemptAt(
    (request, socket) => answer(request, socket, { fields: [`X: ${'x'.repeat(3900)}`] }),
    limits,
  );
  assert.equal(fits.outcome, Outcome.FETCHED);
});

test('a body over its bound is cut at the byte, marked, and the rest is not fetched', async () => {
  const page = randomBytes(2_000_000);
  const cut = await attemptAt((request, socket) => answer(request, socket, { body: page }), {}, 300_001n);
  assert.equal(cut.outcome, Outcome.FETCHED);
  assert.equal(cut.capture?.truncation, Truncation.LENGTH);
  assert.equal(cut.capture.bodyBytes, 300_001n);

  const whole = await attemptAt((request, socket) => answer(request, socket, { body: page }), {}, 2_000_000n);
  assert.equal(whole.capture?.truncation, Truncation.UNSPECIFIED);
  assert.equal(whole.capture.bodyBytes, 2_000_000n);
});

test('no request makes the worker keep more than its own bound', async () => {
  const page = randomBytes(200_000);
  const attempt = await attemptAt(
    (request, socket) => answer(request, socket, { body: page }),
    { bodyBytes: 100_000 },
    64_000_000n,
  );
  assert.equal(attempt.capture?.bodyBytes, 100_000n);
});

test('bodies wait for room in memory and in files, and come out whole', async () => {
  const bodies = new Map(['/1', '/2', '/3', '/4', '/5', '/6'].map((path) => [path, randomBytes(700_000)]));
  await using site = await startRawSite('127.64.11.4', (request, socket) => {
    answer(request, socket, { body: bodies.get(request.path) ?? '' });
  });
  await using rig = await startFetchRig({
    limits: { spoolMemoryBytes: 2 * 262_144, spoolFileBytes: 2_000_000 },
  });
  for (const path of bodies.keys())
    rig.frontier.grants.push(leaseOf(site, [path], { host: `h${path.slice(1)}.test` }));
  await rig.frontier.ended(6);
  for (const path of bodies.keys()) {
    assert.equal(rig.frontier.attemptAt(path)?.capture?.bodyBytes, 700_000n, path);
  }
});
