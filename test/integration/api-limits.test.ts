import { API_LIMITS, type ApiLimits } from '@decorum/server/api/limits.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2, constants, type ClientHttp2Session } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import {
  callUnary,
  exchange,
  frame,
  grpcClient,
  grpcHeaders,
  KEYS,
  openSession,
  startTestApi,
} from './api-server.ts';

const PATH = '/decorum.admin.v1.TenantService/ListPurposes';
const BIG = 'x'.repeat(200_000);
const bigAnswer = { listPurposes: async () => [{ code: 'A', description: BIG, robotsToken: 'a' }] };
const never = { listPurposes: () => new Promise<never>(() => undefined) };

/** A raw connection that collects what it is sent. */
async function openSocket(address: string) {
  const [host = '', port] = address.split(':');
  const socket: Socket = connect({ host, port: Number(port) });
  await once(socket, 'connect');
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  return { socket, closed, received: () => received, [Symbol.dispose]: () => void socket.destroy() };
}

const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);

test('a header that is too large is refused, over both protocols', async () => {
  await using api = await startTestApi();
  const padding = 'x'.repeat(API_LIMITS.headerBytesMax);
  assert.equal((await fetch(`${api.url}/healthz`, { headers: { padding } })).status, 431);
  await using session = await openSession(api.grpcAddress);
  await assert.rejects(
    exchange(session, { ...grpcHeaders(PATH, KEYS.operator), padding }, frame(new Uint8Array())),
  );
  using client = grpcClient(api.grpcAddress);
  await callUnary(client, 'listPurposes', {}, { key: KEYS.operator });
});

test('a message is measured after decompression', async () => {
  await using api = await startTestApi({ limits: { messageBytesMax: 10_000 } });
  const bomb = gzipSync(Buffer.alloc(5_000_000));
  assert.ok(bomb.length < 10_000);
  const response = await fetch(`${api.url}${PATH}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEYS.operator}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    },
    body: bomb,
  });
  assert.equal(response.status, 429);
  assert.match(await response.text(), /resource_exhausted/);
});

test('an answer that is too large is an error, not a flood', async () => {
  await using api = await startTestApi({ deps: bigAnswer, limits: { messageBytesMax: 100_000 } });
  using client = grpcClient(api.grpcAddress);
  await assert.rejects(callUnary(client, 'listPurposes', {}, { key: KEYS.operator }), { code: 8 });
});

test('HTTP/1.1: a header that trickles in is cut off (slowloris)', async () => {
  await using api = await startTestApi({ limits: { headersMs: 200, sweepMs: 20 } });
  using slow = await openSocket(api.httpAddress);
  slow.socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n');
  const trickle = setInterval(() => slow.socket.write('x: y\r\n'), 20);
  await slow.closed;
  clearInterval(trickle);
  assert.doesNotMatch(slow.received(), /^HTTP\/1\.1 200 /);
});

test('HTTP/1.1: a page’s request that does not end is cut off', async () => {
  await using api = await startTestApi({
    limits: { headersMs: 100, callMsMax: 100, overrunMs: 100, sweepMs: 20 },
  });
  for (const line of ['GET /bot', 'POST /nothing']) {
    using slow = await openSocket(api.httpAddress);
    slow.socket.write(`${line} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{`);
    await slow.closed;
    assert.match(slow.received(), /^HTTP\/1\.1 (200|404) /);
  }
});

test('HTTP/2: a peer that says nothing, or no HTTP/2, is dropped', async () => {
  await using api = await startTestApi({ limits: { headersMs: 200, sweepMs: 20 } });
  using silent = await openSocket(api.grpcAddress);
  using stranger = await openSocket(api.grpcAddress);
  stranger.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  using partial = await openSocket(api.grpcAddress);
  partial.socket.write(PREFACE.subarray(0, 10));
  await Promise.all([silent.closed, stranger.closed, partial.closed]);
  using client = grpcClient(api.grpcAddress);
  await callUnary(client, 'listPurposes', {}, { key: KEYS.operator });
});

test('HTTP/2: an idle connection is told to go and closed', async () => {
  await using api = await startTestApi({ limits: { idleMs: 100, sweepMs: 20, goawayMs: 20 } });
  await using session = await openSession(api.grpcAddress);
  const [code] = (await once(session, 'goaway')) as [number];
  assert.equal(code, constants.NGHTTP2_NO_ERROR);
  while (!/^decorum_rpc_connections\{listener="grpc"\} 0$/m.test(await api.metrics.render())) await pause(5);
});

test('HTTP/2: a peer that no longer answers pings is dropped', async () => {
  await using api = await startTestApi({ limits: { pingAfterMs: 50, pingMs: 100, sweepMs: 20 } });
  using dead = await openSocket(api.grpcAddress);
  dead.socket.write(PREFACE);
  await using alive = await openSession(api.grpcAddress);
  await dead.closed;
  assert.equal(alive.destroyed, false);
});

test('HTTP/2: an old connection is replaced without a failed call', async () => {
  const limits = { connectionAgeMs: 100, sweepMs: 10, goawayMs: 500 };
  await using api = await startTestApi({ limits });
  using client = grpcClient(api.grpcAddress);
  const seenSideBySide = async () => /listener="grpc"\} [2-9]$/m.test(await api.metrics.render());
  do await callUnary(client, 'listPurposes', {}, { key: KEYS.operator });
  while (!(await seenSideBySide()));
  for (let calls = 0; calls < 200; calls += 1)
    await callUnary(client, 'listPurposes', {}, { key: KEYS.operator });
});

test('a connection carries a bounded number of calls at a time', async () => {
  await using api = await startTestApi({ limits: { streamsPerConnectionMax: 7 } });
  await using session = await openSession(api.grpcAddress);
  assert.equal(session.remoteSettings.maxConcurrentStreams, 7);
});

test('a listener takes a bounded number of connections', async () => {
  await using api = await startTestApi({ limits: { connectionsMax: 2 } });
  using first = await openSocket(api.httpAddress);
  using second = await openSocket(api.httpAddress);
  using third = await openSocket(api.httpAddress);
  await third.closed;
  first.socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await first.closed;
  assert.match(first.received(), /^HTTP\/1\.1 200 /);
  assert.equal(second.socket.destroyed, false);
});

const CUT_OFF: Partial<ApiLimits> = { headersMs: 100, callMsMax: 100, overrunMs: 100, sweepMs: 20 };

test('a stranger’s call is answered before its body has come', async () => {
  await using api = await startTestApi();
  await using session = await openSession(api.grpcAddress);
  const stream = session.request(grpcHeaders(PATH));
  stream.write(Buffer.from([0, 0, 0, 0, 9]));
  const [headers] = (await once(stream, 'response')) as [Record<string, string>];
  stream.on('error', () => undefined);
  assert.equal(headers['content-type'], 'application/grpc+proto');
});

test('a body that does not end is cut off after the deadline, over both protocols', async () => {
  await using api = await startTestApi({ limits: CUT_OFF });
  await using session = await openSession(api.grpcAddress);
  const stream = session.request(grpcHeaders(PATH, KEYS.operator));
  stream.on('error', () => undefined);
  stream.write(Buffer.from([0, 0, 0, 0, 9]));
  await once(stream, 'close');

  using slow = await openSocket(api.httpAddress);
  slow.socket.write(
    `POST ${PATH} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEYS.operator}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  );
  await slow.closed;
});

test('a peer that does not read its answer is cut off after the deadline', async () => {
  await using api = await startTestApi({ deps: bigAnswer, limits: CUT_OFF });
  const session = connectHttp2(`http://${api.grpcAddress}`, { settings: { initialWindowSize: 0 } });
  session.on('error', () => undefined);
  const stream = session.request(grpcHeaders(PATH, KEYS.operator));
  stream.on('error', () => undefined);
  stream.end(frame(new Uint8Array()));
  await once(stream, 'close');
  assert.equal(stream.rstCode, constants.NGHTTP2_CANCEL);
  session.destroy();
});

/** Opens calls and cancels them at once, as fast as the connection takes them. */
async function cancelMany(session: ClientHttp2Session, count: number): Promise<void> {
  for (let at = 0; at < count && !session.destroyed; at += 1) {
    const stream = session.request(grpcHeaders(PATH, KEYS.operator));
    stream.on('error', () => undefined);
    stream.end(frame(new Uint8Array()));
    if (at % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    stream.close(constants.NGHTTP2_CANCEL);
  }
  if (!session.destroyed) await new Promise((resolve) => session.ping(resolve));
}

test('a burst of 1,500 cancelled calls leaves an innocent call on the same connection alone', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let calls = 0;
  const listPurposes = async () => {
    calls += 1;
    await held;
    return [];
  };
  await using api = await startTestApi({ deps: { listPurposes } });
  await using session = await openSession(api.grpcAddress);
  const innocent = exchange(session, grpcHeaders(PATH, KEYS.operator), frame(new Uint8Array()));
  while (calls === 0) await pause(5);
  await cancelMany(session, 1_500);
  release();
  assert.equal((await innocent).trailers['grpc-status'], '0');
});

test('a peer that cancels beyond all measure loses its connection', async () => {
  await using api = await startTestApi({ deps: never, limits: { resetBurst: 20, resetsPerSecond: 1 } });
  await using session = await openSession(api.grpcAddress);
  const goaway = once(session, 'goaway') as Promise<[number]>;
  await cancelMany(session, 100);
  const [code] = await goaway;
  assert.notEqual(code, constants.NGHTTP2_NO_ERROR);
});
