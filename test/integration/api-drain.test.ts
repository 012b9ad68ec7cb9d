import { fromBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { ErrorInfoSchema, RetryInfoSchema } from '@decorum/proto/google/rpc/error_details_pb.ts';
import { StatusSchema } from '@decorum/proto/google/rpc/status_pb.ts';
import * as grpc from '@grpc/grpc-js';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

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
const RING = { 'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }) };

/** A dependency that answers when it is let go, and says how many calls it holds. */
function gate() {
  let release = (): void => undefined;
  let waiting = 0;
  const opened = new Promise<void>((resolve) => (release = resolve));
  const listPurposes = async () => {
    waiting += 1;
    await opened;
    return [];
  };
  const held = async (count: number) => {
    while (waiting < count) await pause(2);
  };
  return { release, held, deps: { listPurposes } };
}

test('a rolling restart under load fails no unary call', async () => {
  const deps = { listPurposes: () => pause(5, []) };
  const nodes = [await startTestApi({ deps }), await startTestApi({ deps })];
  await using third = await startTestApi({ deps });
  const addresses = [...nodes, third].map(({ grpcAddress }) => grpcAddress).join(',');
  using client = grpcClient(
    `ipv4:${addresses}`,
    undefined,
    undefined,
    grpc.credentials.createInsecure(),
    RING,
  );
  let done = 0;
  let isOver = false;
  const load = Array.from({ length: 32 }, async () => {
    while (!isOver) {
      await callUnary(client, 'listPurposes', {}, { key: KEYS.operator });
      done += 1;
    }
  });
  const atLeast = async (count: number) => {
    for (const target = done + count; done < target;) await pause(5);
  };
  try {
    await atLeast(300);
    for (const node of nodes) {
      node.shutdown.abort();
      await node[Symbol.asyncDispose]();
      await atLeast(300);
    }
  } finally {
    isOver = true;
  }
  const outcomes = await Promise.allSettled(load);
  assert.deepEqual(
    outcomes.filter(({ status }) => status === 'rejected'),
    [],
  );
});

test('a call in flight ends, while new connections are refused and its connection learns to go', async () => {
  const { release, held, deps } = gate();
  const api = await startTestApi({ deps, limits: { goawayMs: 20 } });
  const session = await openSession(api.grpcAddress);
  const goaways: number[] = [];
  session.on('goaway', (code: number, lastStreamId: number) => goaways.push(code, lastStreamId));
  const call = exchange(session, grpcHeaders(PATH, KEYS.operator), frame(new Uint8Array()));
  await held(1);
  const drained = api[Symbol.asyncDispose]();
  while (goaways.length < 4) await pause(5);
  assert.deepEqual(goaways, [0, 2 ** 31 - 1, 0, 1]);
  await assert.rejects(fetch(`${api.url}/healthz`));
  release();
  assert.equal((await call).trailers['grpc-status'], '0');
  await drained;
  assert.equal(session.destroyed, true);
});

test('HTTP/1.1: a call in flight ends and closes its connection, idle ones are closed at once', async () => {
  const { release, held, deps } = gate();
  const api = await startTestApi({ deps });
  const agent = new Agent({ keepAlive: true });
  const [host, port] = api.httpAddress.split(':');
  const send = (path: string, method: string) => {
    const headers = { authorization: `Bearer ${KEYS.operator}`, 'content-type': 'application/json' };
    const request = httpRequest({ agent, host, port, path, method, headers });
    request.end(method === 'POST' ? '{}' : undefined);
    return request;
  };
  const [idle] = (await once(send('/healthz', 'GET'), 'response')) as [IncomingMessage];
  idle.resume();
  await once(idle, 'end');
  const call = send(PATH, 'POST');
  await held(1);
  const drained = api[Symbol.asyncDispose]();
  release();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.resume();
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers['connection'], 'close');
  await drained;
  agent.destroy();
});

test('a call that outlasts the drain is told to go elsewhere', async () => {
  const api = await startTestApi({
    deps: { listPurposes: () => new Promise<never>(() => undefined) },
    limits: { drainMs: 100 },
  });
  const session = await openSession(api.grpcAddress);
  const call = exchange(session, grpcHeaders(PATH, KEYS.operator), frame(new Uint8Array()));
  while (!/in_flight.* 1$/m.test(await api.metrics.render())) await pause(5);
  await api[Symbol.asyncDispose]();
  const { trailers, headers } = await call;
  const found = { ...headers, ...trailers };
  assert.equal(found['grpc-status'], '14');
  const { details } = fromBinary(
    StatusSchema,
    Buffer.from(String(found['grpc-status-details-bin']), 'base64'),
  );
  assert.deepEqual(
    details.flatMap((any) => anyUnpack(any, ErrorInfoSchema)?.reason ?? []),
    ['SHUTTING_DOWN'],
  );
  assert.equal(details.filter((any) => anyUnpack(any, RetryInfoSchema)).length, 1);
  assert.ok(api.log().some(({ message }) => message === 'calls outlast the shutdown and are cut off'));
});

test('fifty streams over fifty connections end in order', async () => {
  const api = await startTestApi({ limits: { goawayMs: 20 } });
  const watch = async () => {
    using client = grpcClient(
      api.grpcAddress,
      'grpc/health/v1/health.proto',
      'grpc.health.v1.Health',
      undefined,
      {
        'grpc.use_local_subchannel_pool': 1,
      },
    );
    const stream = client.makeServerStreamRequest(
      '/grpc.health.v1.Health/Watch',
      () => Buffer.alloc(0),
      (bytes: Buffer) => bytes[1] ?? 0,
      {},
    );
    const statuses: unknown[] = [];
    for await (const status of stream) statuses.push(status);
    return statuses;
  };
  const watches = Array.from({ length: 50 }, watch);
  while (!/listener="grpc"\} 50$/m.test(await api.metrics.render())) await pause(5);
  while (!/in_flight\{.*Watch"\} 50$/m.test(await api.metrics.render())) await pause(5);
  await api[Symbol.asyncDispose]();
  for (const statuses of await Promise.all(watches)) assert.deepEqual(statuses, [1, 2]);
});

test('connections that were told to go are not kept', async () => {
  await using api = await startTestApi({ limits: { idleMs: 50, goawayMs: 10, sweepMs: 10 } });
  const sessions = await Promise.all(Array.from({ length: 200 }, () => openSession(api.grpcAddress)));
  while (!/listener="grpc"\} 0$/m.test(await api.metrics.render())) await pause(10);
  for (const session of sessions) await session[Symbol.asyncDispose]();
});

test('a process that begins to end says so, and serves until its API is disposed', async () => {
  await using api = await startTestApi();
  using client = grpcClient(api.grpcAddress);
  api.shutdown.abort();
  assert.equal((await fetch(`${api.url}/readyz`)).status, 503);
  await callUnary(client, 'listPurposes', {}, { key: KEYS.operator });
});

test('the port of a taken address is named with the variable to change', async () => {
  await using api = await startTestApi();
  const env = { DECORUM_GRPC_ADDRESS: api.grpcAddress };
  await assert.rejects(startTestApi({ env }), /cannot listen on 127\.0\.0\.1:[0-9]+; .*DECORUM_GRPC_ADDRESS/);
  const other = { DECORUM_HTTP_ADDRESS: api.httpAddress };
  await assert.rejects(startTestApi({ env: other }), /DECORUM_HTTP_ADDRESS/);
});
