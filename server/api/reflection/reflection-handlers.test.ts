import { create, createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { createHandlerContext } from '@connectrpc/connect';
import { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import { Health } from '@decorum/proto/grpc/health/v1/health_pb.ts';
import {
  ServerReflection,
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
  type ServerReflectionRequest,
} from '@decorum/proto/grpc/reflection/v1/reflection_pb.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createDescriptorIndex } from './create-descriptor-index.ts';
import { reflectionHandlers } from './reflection-handlers.ts';

const handlers = reflectionHandlers<typeof ServerReflection>(createDescriptorIndex([TenantService, Health]));
const context = createHandlerContext({
  service: ServerReflection,
  method: ServerReflection.method.serverReflectionInfo,
  protocolName: 'grpc',
  requestMethod: 'POST',
  url: 'http://127.0.0.1/',
});

async function ask(messageRequest: ServerReflectionRequest['messageRequest']) {
  const request = create(ServerReflectionRequestSchema, { host: 'h', messageRequest });
  async function* requests() {
    yield request;
  }
  for await (const response of handlers.serverReflectionInfo(requests(), context)) {
    return create(ServerReflectionResponseSchema, response).messageResponse;
  }
  throw new Error('no answer');
}

async function filesOf(messageRequest: ServerReflectionRequest['messageRequest']) {
  const answer = await ask(messageRequest);
  assert.equal(answer.case, 'fileDescriptorResponse');
  return answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
}

test('served services are listed', async () => {
  const answer = await ask({ case: 'listServices', value: '*' });
  assert.equal(answer.case, 'listServicesResponse');
  assert.deepEqual(
    answer.value.service.map(({ name }) => name),
    ['decorum.admin.v1.TenantService', 'grpc.health.v1.Health'],
  );
});

test('a symbol’s file comes with all its imports, enough to build the service from nothing', async () => {
  const file = await filesOf({ case: 'fileContainingSymbol', value: 'decorum.admin.v1.TenantService' });
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file }));
  assert.equal(
    registry.getService('decorum.admin.v1.TenantService')?.methods.length,
    TenantService.methods.length,
  );
});

for (const symbol of [
  'decorum.admin.v1.TenantService.ListPurposes',
  'decorum.admin.v1.Quota',
  'decorum.admin.v1.Quota.band_max',
  'decorum.access.v1.Role',
  'decorum.access.v1.roles',
  'grpc.health.v1.HealthCheckResponse.ServingStatus',
]) {
  test(`${symbol} is found`, async () =>
    assert.ok((await filesOf({ case: 'fileContainingSymbol', value: symbol })).length > 0));
}

test('a file is found by its name', async () => {
  const files = await filesOf({ case: 'fileByFilename', value: 'decorum/access/v1/access.proto' });
  assert.deepEqual(
    files.map(({ name }) => name),
    ['google/protobuf/descriptor.proto', 'decorum/access/v1/access.proto'],
  );
});

test('extensions are found by number, and listed', async () => {
  const containingType = 'google.protobuf.MethodOptions';
  const value = create(ServerReflectionRequestSchema, {
    messageRequest: { case: 'fileContainingExtension', value: { containingType, extensionNumber: 50_001 } },
  }).messageRequest;
  const files = await filesOf(value);
  assert.equal(files.at(-1)?.name, 'decorum/access/v1/access.proto');
  const answer = await ask({ case: 'allExtensionNumbersOfType', value: containingType });
  assert.equal(answer.case, 'allExtensionNumbersResponse');
  assert.deepEqual(answer.value.extensionNumber, [50_001]);
});

test('what is not served is an error of its request, not of the stream', async () => {
  const answer = await ask({ case: 'fileContainingSymbol', value: 'other.v1.Service' });
  assert.equal(answer.case, 'errorResponse');
  assert.equal(answer.value.errorCode, 5);
  assert.equal((await ask({ case: undefined })).case, 'errorResponse');
});
