import { create } from '@bufbuild/protobuf';
import { createHandlerContext } from '@connectrpc/connect';
import { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import {
  Health,
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus as Status,
} from '@decorum/proto/grpc/health/v1/health_pb.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DomainError } from '../../runtime/domain-error.ts';
import { createReadiness } from '../../runtime/readiness.ts';
import { healthHandlers } from './health-handlers.ts';

function setUp() {
  const readiness = createReadiness();
  const draining = new AbortController();
  const handlers = healthHandlers({ readiness, services: [TenantService], draining: draining.signal });
  const call = new AbortController();
  const method = Health.method.watch;
  const context = createHandlerContext({
    service: Health,
    method,
    protocolName: 'grpc',
    requestMethod: 'POST',
    url: 'http://127.0.0.1/',
    requestSignal: call.signal,
  });
  const request = (service: string) => create(HealthCheckRequestSchema, { service });
  const watch = (service: string) => handlers.watch(request(service), context)[Symbol.asyncIterator]();
  const next = async (updates: ReturnType<typeof watch>) => {
    const item = await updates.next();
    return item.done === true ? 'end' : item.value.status;
  };
  return { readiness, draining, call, handlers, context, request, watch, next };
}

test('Check knows the server and each service, and no other', () => {
  const { handlers, request, context, readiness } = setUp();
  assert.deepEqual(handlers.check(request(''), context), { status: Status.SERVING });
  readiness.report('postgres', 'down');
  assert.deepEqual(handlers.check(request(TenantService.typeName), context), { status: Status.NOT_SERVING });
  assert.throws(
    () => handlers.check(request('other.Service'), context),
    (error) => error instanceof DomainError && error.kind === 'not_found',
  );
});

test('Watch tells the present status, then each change once', async () => {
  const { readiness, watch, next } = setUp();
  const updates = watch('');
  assert.equal(await next(updates), Status.SERVING);
  const change = next(updates);
  readiness.report('nats', undefined);
  readiness.report('postgres', 'down');
  assert.equal(await change, Status.NOT_SERVING);
  readiness.report('nats', 'down');
  const back = next(updates);
  readiness.report('postgres', undefined);
  readiness.report('nats', undefined);
  assert.equal(await back, Status.SERVING);
});

test('a watcher is told that the server drains, and let go', async () => {
  const { draining, watch, next } = setUp();
  const updates = watch('');
  assert.equal(await next(updates), Status.SERVING);
  draining.abort();
  assert.equal(await next(updates), Status.NOT_SERVING);
  assert.equal(await next(updates), 'end');
});

test('watching an unknown service says so and waits', async () => {
  const { readiness, call, watch, next } = setUp();
  const updates = watch('other.Service');
  assert.equal(await next(updates), Status.SERVICE_UNKNOWN);
  const end = next(updates);
  readiness.report('postgres', 'down');
  call.abort();
  assert.equal(await end, 'end');
});

test('List has the server and each service', async () => {
  const { handlers, context } = setUp();
  const { statuses } = await handlers.list(create(Health.method.list.input), context);
  assert.deepEqual(Object.keys(statuses ?? {}).sort(), ['', TenantService.typeName]);
});
