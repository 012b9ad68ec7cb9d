import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  ListPurposesRequestSchema,
  ListPurposesResponseSchema,
} from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
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
const AUTHORIZATION = { authorization: `Bearer ${KEYS.operator}` };
const BUF = join(import.meta.dirname, '../../node_modules/.bin/buf');

const buf = async (...args: string[]) => (await promisify(execFile)(BUF, ['curl', ...args])).stdout;

test('a stock grpc-js client calls over h2c', async () => {
  await using api = await startTestApi();
  using client = grpcClient(api.grpcAddress);
  const { purposes } = await callUnary(client, 'listPurposes', {}, { key: KEYS.operator });
  assert.deepEqual(purposes, [
    { code: 'SEARCH', description: 'web search', robotsToken: 'decorumbot-search' },
  ]);
});

test('JSON by POST and by GET', async () => {
  await using api = await startTestApi();
  const post = await fetch(`${api.url}${PATH}`, {
    method: 'POST',
    headers: { ...AUTHORIZATION, 'content-type': 'application/json' },
    body: '{}',
  });
  const get = await fetch(`${api.url}${PATH}?encoding=json&message=${encodeURIComponent('{}')}`, {
    headers: AUTHORIZATION,
  });
  const expected = {
    purposes: [{ code: 'SEARCH', description: 'web search', robotsToken: 'decorumbot-search' }],
  };
  assert.deepEqual(await post.json(), expected);
  assert.deepEqual(await get.json(), expected);
});

test('a JSON body may come compressed', async () => {
  await using api = await startTestApi();
  const response = await fetch(`${api.url}${PATH}`, {
    method: 'POST',
    headers: { ...AUTHORIZATION, 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync('{}'),
  });
  assert.equal(response.status, 200);
});

test('gRPC-Web over HTTP/1.1: a message frame, then a trailer frame', async () => {
  await using api = await startTestApi();
  const message = toBinary(ListPurposesRequestSchema, create(ListPurposesRequestSchema));
  const response = await fetch(`${api.url}${PATH}`, {
    method: 'POST',
    headers: { ...AUTHORIZATION, 'content-type': 'application/grpc-web+proto', 'x-grpc-web': '1' },
    body: frame(message),
  });
  const body = Buffer.from(await response.arrayBuffer());
  assert.equal(body[0], 0);
  const end = 5 + body.readUInt32BE(1);
  const { purposes } = fromBinary(ListPurposesResponseSchema, body.subarray(5, end));
  assert.deepEqual(
    purposes.map(({ code }) => code),
    ['SEARCH'],
  );
  assert.equal(body[end], 0x80);
  assert.match(body.subarray(end + 5).toString(), /^grpc-status: 0\r\n/);
});

test('buf curl finds its way by reflection, over h2c and over HTTP/1.1', async () => {
  await using api = await startTestApi();
  const grpcArgs = ['--protocol', 'grpc', '--http2-prior-knowledge'];
  const header = ['--header', `authorization: Bearer ${KEYS.operator}`];
  const listed = await buf(...grpcArgs, '--list-methods', `http://${api.grpcAddress}`);
  assert.match(listed, /^decorum\.crawl\.v1\.CrawlService\/Submit$/m);
  const called = await buf(...grpcArgs, ...header, '--data', '{}', `http://${api.grpcAddress}${PATH}`);
  assert.match(called, /"SEARCH"/);
  const alpha = await buf(
    ...grpcArgs,
    '--reflect-protocol',
    'grpc-v1alpha',
    '--list-services',
    `http://${api.grpcAddress}`,
  );
  assert.match(alpha, /^decorum\.fetch\.v1\.FetchService$/m);
});

test('grpc health: Check by JSON, Watch by a stock client', async () => {
  await using api = await startTestApi();
  const check = await fetch(`${api.url}/grpc.health.v1.Health/Check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"service":"decorum.crawl.v1.CrawlService"}',
  });
  assert.deepEqual(await check.json(), { status: 'SERVING' });

  using client = grpcClient(api.grpcAddress, 'grpc/health/v1/health.proto', 'grpc.health.v1.Health');
  const watch = client.makeServerStreamRequest(
    '/grpc.health.v1.Health/Watch',
    () => Buffer.alloc(0),
    (bytes: Buffer) => bytes[1] ?? 0,
    {},
  );
  const statuses: number[] = [];
  let ended: Promise<void> | undefined;
  for await (const status of watch) {
    statuses.push(status as number);
    if (statuses.length === 1) api.readiness.report('postgres', 'down');
    if (statuses.length === 2) api.readiness.report('postgres', undefined);
    if (statuses.length === 3) api.shutdown.abort();
    if (statuses.length === 4) ended = api[Symbol.asyncDispose]();
  }
  assert.deepEqual(statuses, [1, 2, 1, 2]);
  await ended;
});

test('answers to gRPC clients are not compressed, though they offer it', async () => {
  const description = 'x'.repeat(100_000);
  await using api = await startTestApi({
    deps: { listPurposes: async () => [{ code: 'A', description, robotsToken: 'a' }] },
  });
  await using session = await openSession(api.grpcAddress);
  const headers = { ...grpcHeaders(PATH, KEYS.operator), 'grpc-accept-encoding': 'gzip' };
  const { body } = await exchange(session, headers, frame(new Uint8Array()));
  assert.ok(body.length > description.length);
});

test('calls are measured by method and code, and connections counted', async () => {
  await using api = await startTestApi();
  using client = grpcClient(api.grpcAddress);
  await callUnary(client, 'listPurposes', {}, { key: KEYS.operator });
  await assert.rejects(callUnary(client, 'listPurposes'));
  const text = await (await fetch(`${api.url}/metrics`)).text();
  const method = 'method="decorum.admin.v1.TenantService/ListPurposes"';
  assert.match(text, new RegExp(`^decorum_rpc_duration_count\\{${method},code="ok"\\} 1$`, 'm'));
  assert.match(text, new RegExp(`^decorum_rpc_duration_count\\{${method},code="unauthenticated"\\} 1$`, 'm'));
  assert.match(text, new RegExp(`^decorum_rpc_in_flight\\{${method}\\} 0$`, 'm'));
  assert.match(text, /^decorum_rpc_connections\{listener="grpc"\} 1$/m);
});
