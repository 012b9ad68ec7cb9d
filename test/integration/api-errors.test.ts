import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { CreateTenantRequestSchema } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
  type ErrorInfo,
} from '@decorum/proto/google/rpc/error_details_pb.ts';
import { StatusSchema } from '@decorum/proto/google/rpc/status_pb.ts';
import { DomainError } from '@decorum/server/runtime/domain-error.ts';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

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

type Api = Awaited<ReturnType<typeof startTestApi>>;

/** A failed call as its caller sees it: the gRPC code's name and the details. */
type Failure = {
  code: string;
  message: string;
  infos: readonly ErrorInfo[];
  fields: readonly string[];
  retries: boolean;
};

type Call = {
  readonly method: string;
  readonly key?: string | undefined;
  readonly request: { readonly tenantId?: string; readonly displayName?: string; readonly purpose?: string };
  /** Sent in the request's place. */
  readonly bytes?: Buffer<ArrayBuffer>;
  readonly timeoutMs?: number;
};

const CODES = (
  'ok canceled unknown invalid_argument deadline_exceeded not_found already_exists permission_denied ' +
  'resource_exhausted failed_precondition aborted out_of_range unimplemented internal unavailable data_loss unauthenticated'
).split(' ');

const toMessage = ({ request, bytes }: Call) =>
  bytes ?? toBinary(CreateTenantRequestSchema, create(CreateTenantRequestSchema, request));

function fromTrailers(status: string, message: string, details: string): Failure {
  const { details: packed } = fromBinary(StatusSchema, Buffer.from(details, 'base64'));
  return {
    code: CODES[Number(status)] ?? '',
    message: decodeURIComponent(message),
    infos: packed.flatMap((any) => anyUnpack(any, ErrorInfoSchema) ?? []),
    fields: packed.flatMap(
      (any) => anyUnpack(any, BadRequestSchema)?.fieldViolations.map(({ field }) => field) ?? [],
    ),
    retries: packed.some((any) => anyUnpack(any, RetryInfoSchema) !== undefined),
  };
}

async function viaGrpc(api: Api, call: Call): Promise<Failure> {
  const { method, key, timeoutMs } = call;
  await using session = await openSession(api.grpcAddress);
  const headers = grpcHeaders(`/decorum.admin.v1.TenantService/${method}`, key);
  const timeout = timeoutMs === undefined ? {} : { 'grpc-timeout': `${timeoutMs}m` };
  const answer = await exchange(session, { ...headers, ...timeout }, frame(toMessage(call)));
  const found = { ...answer.headers, ...answer.trailers };
  const text = (name: string) => String(found[name]);
  return fromTrailers(text('grpc-status'), text('grpc-message'), text('grpc-status-details-bin'));
}

async function viaGrpcWeb(api: Api, call: Call): Promise<Failure> {
  const { method, key, timeoutMs } = call;
  const response = await fetch(`${api.url}/decorum.admin.v1.TenantService/${method}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/grpc-web+proto',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(timeoutMs === undefined ? {} : { 'grpc-timeout': `${timeoutMs}m` }),
    },
    body: frame(toMessage(call)),
  });
  const body = Buffer.from(await response.arrayBuffer());
  const lines = body.subarray(5).toString().trim().split('\r\n');
  const trailers = new Headers();
  for (const line of lines) {
    const [name = '', value = ''] = line.split(/: (.*)/, 2);
    if (name !== '') trailers.append(name, value);
  }
  const text = (name: string) => trailers.get(name) ?? response.headers.get(name) ?? '';
  return fromTrailers(text('grpc-status'), text('grpc-message'), text('grpc-status-details-bin'));
}

async function viaJson(api: Api, { method, key, request, bytes, timeoutMs }: Call): Promise<Failure> {
  const response = await fetch(`${api.url}/decorum.admin.v1.TenantService/${method}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(timeoutMs === undefined ? {} : { 'connect-timeout-ms': String(timeoutMs) }),
    },
    body: bytes ?? JSON.stringify(request),
  });
  type Detail = { type: string; value: string };
  const { code, message, details } = (await response.json()) as {
    code: string;
    message: string;
    details: Detail[];
  };
  const found = (type: string) =>
    details.filter((d) => d.type === type).map(({ value }) => Buffer.from(value, 'base64'));
  return {
    code,
    message,
    infos: found('google.rpc.ErrorInfo').map((value) => fromBinary(ErrorInfoSchema, value)),
    fields: found('google.rpc.BadRequest').flatMap((value) =>
      fromBinary(BadRequestSchema, value).fieldViolations.map(({ field }) => field),
    ),
    retries: found('google.rpc.RetryInfo').length > 0,
  };
}

const { operator, tenant, broken } = KEYS;
const TENANT = { tenantId: 'search', displayName: 'Search', purpose: 'SEARCH' };

/** `ListPurposes` ignores what it is sent, so each of these may fail in its dependency. */
const failing = (error: Error) => ({ listPurposes: () => Promise.reject(error) });
const never = { listPurposes: () => new Promise<never>(() => undefined) };

type Case = Call & { title: string; deps?: Parameters<typeof startTestApi>[0] & object } & {
  expected: { code: string; reason: string; fields?: string[]; retries?: boolean };
};

const CASES: Case[] = [
  {
    title: 'no key',
    method: 'CreateTenant',
    request: TENANT,
    expected: { code: 'unauthenticated', reason: 'KEY_MISSING' },
  },
  {
    title: 'a key that is not known',
    method: 'CreateTenant',
    key: 'dk_no_secret',
    request: TENANT,
    expected: { code: 'unauthenticated', reason: 'KEY_INVALID' },
  },
  {
    title: 'something that is no key',
    method: 'CreateTenant',
    key: 'hunter2',
    request: TENANT,
    expected: { code: 'unauthenticated', reason: 'KEY_INVALID' },
  },
  {
    title: 'a key of another role',
    method: 'CreateTenant',
    key: tenant,
    request: TENANT,
    expected: { code: 'permission_denied', reason: 'ROLE_REQUIRED' },
  },
  {
    title: 'a tenant’s key without a tenant (T1)',
    method: 'CreateTenant',
    key: broken,
    request: TENANT,
    expected: { code: 'internal', reason: 'INTERNAL' },
  },
  {
    title: 'fields out of range',
    method: 'CreateTenant',
    key: operator,
    request: { ...TENANT, tenantId: 'A', displayName: 'x'.repeat(129) },
    expected: { code: 'invalid_argument', reason: 'INVALID_FIELD', fields: ['tenant_id', 'display_name'] },
  },
  {
    title: 'bytes that are no message',
    method: 'CreateTenant',
    key: operator,
    request: TENANT,
    bytes: Buffer.from('{"tenantId":'),
    expected: { code: 'invalid_argument', reason: 'MALFORMED_REQUEST' },
  },
  {
    title: 'a message that is too large',
    method: 'CreateTenant',
    key: operator,
    request: { ...TENANT, displayName: 'x'.repeat(20_000) },
    deps: { limits: { messageBytesMax: 10_000 } },
    expected: { code: 'resource_exhausted', reason: 'MESSAGE_TOO_LARGE' },
  },
  {
    title: 'a method that does not exist',
    method: 'EatTenant',
    key: operator,
    request: {},
    expected: { code: 'unimplemented', reason: 'UNKNOWN_METHOD' },
  },
  {
    title: 'a dependency that is down',
    method: 'ListPurposes',
    key: operator,
    request: {},
    deps: {
      deps: failing(
        new DomainError({
          kind: 'unavailable',
          reason: 'DATABASE_DOWN',
          message: 'try again',
          retryAfterMs: 500,
        }),
      ),
    },
    expected: { code: 'unavailable', reason: 'DATABASE_DOWN', retries: true },
  },
  {
    title: 'a key store that is down',
    method: 'ListPurposes',
    key: operator,
    request: {},
    deps: {
      deps: {
        authenticate: () =>
          Promise.reject(
            new DomainError({
              kind: 'unavailable',
              reason: 'DATABASE_DOWN',
              message: 'try again',
              retryAfterMs: 500,
            }),
          ),
      },
    },
    expected: { code: 'unavailable', reason: 'DATABASE_DOWN', retries: true },
  },
  {
    title: 'a bug',
    method: 'ListPurposes',
    key: operator,
    request: {},
    deps: { deps: failing(new TypeError('s3cr3t')) },
    expected: { code: 'internal', reason: 'INTERNAL' },
  },
  {
    title: 'a deadline that passes',
    method: 'ListPurposes',
    key: operator,
    request: {},
    timeoutMs: 50,
    deps: { deps: never },
    expected: { code: 'deadline_exceeded', reason: 'DEADLINE_EXCEEDED' },
  },
  {
    title: 'no deadline, beyond the longest there is',
    method: 'ListPurposes',
    key: operator,
    request: {},
    deps: { deps: never, limits: { callMsMax: 50, headersMs: 50 } },
    expected: { code: 'deadline_exceeded', reason: 'DEADLINE_EXCEEDED' },
  },
];

for (const [protocol, call] of Object.entries({ grpc: viaGrpc, 'grpc-web': viaGrpcWeb, json: viaJson })) {
  suite(`over ${protocol}, with one ErrorInfo`, () => {
    for (const { title, expected, deps, ...input } of CASES) {
      test(`${title}: ${expected.code}, ${expected.reason}`, async () => {
        await using api = await startTestApi(deps);
        const failure = await call(api, input);
        const { code, reason, fields = [], retries = false } = expected;
        assert.deepEqual(
          failure.infos.map((info) => [info.domain, info.reason]),
          [['decorum', reason]],
        );
        assert.deepEqual(
          { code: failure.code, fields: failure.fields, retries: failure.retries },
          { code, fields, retries },
        );
        assert.doesNotMatch(failure.message, /s3cr3t|secret/);
      });
    }
  });
}

test('the id in an internal error leads to its cause in the log', async () => {
  await using api = await startTestApi({ deps: failing(new TypeError('the cause')) });
  const { infos } = await viaJson(api, { method: 'ListPurposes', key: operator, request: {} });
  const errorId = infos[0]?.metadata['errorId'];
  const line = api.log().find((entry) => entry['errorId'] === errorId);
  assert.match(JSON.stringify(line?.['cause']), /the cause/);
});

test('grpc-js reads the text and the details', async () => {
  await using api = await startTestApi();
  using client = grpcClient(api.grpcAddress);
  await assert.rejects(
    callUnary(client, 'createTenant', { tenantId: 'A', purpose: 'SEARCH' }, { key: operator }),
    (error) => {
      const { code, metadata } = error as Error & {
        code: number;
        metadata: { get: (name: string) => Buffer[] };
      };
      assert.equal(code, 3);
      const [bytes] = metadata.get('grpc-status-details-bin');
      assert.ok(bytes);
      assert.equal(fromBinary(StatusSchema, bytes).details.length, 2);
      return true;
    },
  );
});

test('HTTP clients are told in HTTP’s own words as well', async () => {
  const down = new DomainError({ kind: 'unavailable', reason: 'DOWN', message: 'm', retryAfterMs: 1_500 });
  await using api = await startTestApi({ deps: failing(down) });
  const url = `${api.url}/decorum.admin.v1.TenantService/ListPurposes`;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${operator}` };
  const unavailable = await fetch(url, { method: 'POST', headers, body: '{}' });
  assert.equal(unavailable.status, 503);
  assert.equal(unavailable.headers.get('retry-after'), '2');
  const stranger = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(stranger.status, 401);
  assert.equal(stranger.headers.get('www-authenticate'), 'Bearer realm="decorum"');
});

test('neither keys nor messages reach the log', async () => {
  await using api = await startTestApi();
  await viaJson(api, { method: 'CreateTenant', key: 'dk_no_topsecret', request: TENANT });
  await viaJson(api, { method: 'CreateTenant', key: operator, request: { ...TENANT, tenantId: 'HIDDEN' } });
  const log = JSON.stringify(api.log());
  assert.match(log, /KEY_INVALID.*INVALID_FIELD/);
  assert.doesNotMatch(log, /topsecret|HIDDEN|op_secret/);
});
