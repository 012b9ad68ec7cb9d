import { create, createFileRegistry } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import { FetchService } from '@decorum/proto/decorum/fetch/v1/fetch_service_pb.ts';
import { Health } from '@decorum/proto/grpc/health/v1/health_pb.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SERVICES } from '../handlers.ts';
import { assertRolesDeclared, requiredRoles } from './required-roles.ts';

function serviceWithoutRoles(packageName: string) {
  const name = `${packageName.replaceAll('.', '/')}/open.proto`;
  const type = `.${packageName}.Nothing`;
  const file = {
    name,
    package: packageName,
    syntax: 'proto3',
    messageType: [{ name: 'Nothing' }],
    service: [{ name: 'OpenService', method: [{ name: 'Do', inputType: type, outputType: type }] }],
  };
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [file] }));
  const service = registry.getService(`${packageName}.OpenService`);
  assert.ok(service);
  return service;
}

test('roles are read from the method’s option', () => {
  assert.deepEqual(requiredRoles(TenantService.method.listPurposes), ['operator']);
  assert.deepEqual(requiredRoles(FetchService.method.lease), ['fetcher']);
});

test('every method that is served declares its roles', () =>
  assert.doesNotThrow(() => assertRolesDeclared(SERVICES)));

test('a method of ours without roles stops the start, by name', () => {
  const open = serviceWithoutRoles('decorum.test.v1');
  assert.throws(() => assertRolesDeclared([TenantService, open]), /decorum\.test\.v1\.OpenService\.Do/);
});

test('services that are not ours need none', () => {
  assert.doesNotThrow(() => assertRolesDeclared([Health, serviceWithoutRoles('other.v1')]));
});
