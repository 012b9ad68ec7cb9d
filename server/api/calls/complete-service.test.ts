import { createClient, createRouterTransport, type ConnectError } from '@connectrpc/connect';
import { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import { ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import { ErrorInfoSchema } from '@decorum/proto/google/rpc/error_details_pb.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { completeService } from './complete-service.ts';
import { createErrorInterceptor } from './create-error-interceptor.ts';

const options = { router: { interceptors: [createErrorInterceptor(() => '')] } };

function isNotBuilt(error: ConnectError): boolean {
  assert.deepEqual(
    error.findDetails(ErrorInfoSchema).map(({ reason }) => reason),
    ['NOT_BUILT_YET'],
  );
  return true;
}

test('what is built answers, the rest is UNIMPLEMENTED', async () => {
  const purposes = [{ code: 'SEARCH' }];
  const service = completeService(TenantService, { listPurposes: () => ({ purposes }) });
  const client = createClient(
    TenantService,
    createRouterTransport((router) => router.service(TenantService, service), options),
  );
  assert.equal((await client.listPurposes({})).purposes[0]?.code, 'SEARCH');
  await assert.rejects(client.createTenant({ tenantId: 'ab' }), isNotBuilt);
});

test('streams that are not built answer the same, both ways', async () => {
  const service = completeService(ContentService, {});
  const client = createClient(
    ContentService,
    createRouterTransport((router) => router.service(ContentService, service), options),
  );
  const body = client.readBody({ captureId: 'a' })[Symbol.asyncIterator]();
  await assert.rejects(body.next(), isNotBuilt);
  async function* chunks() {
    yield { chunk: new Uint8Array(1) };
  }
  await assert.rejects(client.importCaptures(chunks()), isNotBuilt);
});
