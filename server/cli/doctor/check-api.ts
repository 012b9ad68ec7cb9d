import { ResultService } from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import { CrawlService } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import {
  Health,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '@decorum/proto/grpc/health/v1/health_pb.ts';
import { createApiClient } from '@decorum/sdk/client/api-client.ts';
import { openTransport } from '@decorum/sdk/client/connect.ts';
import { DecorumError, toDecorumError } from '@decorum/sdk/client/decorum-error.ts';
import type { GrpcTransport } from '@decorum/sdk/transport/grpc-transport.ts';
import type { Finding } from './finding.ts';
import { fail, ok, warn } from './finding.ts';

/** The API at `url`: whether it answers, is healthy, and takes the key. */
export async function checkApi(url: string, key: string | undefined): Promise<Finding[]> {
  try {
    await using transport = openTransport({ url, key, failFast: true });
    const health = await checkHealth(transport, url);
    return health.state === 'fail' ? [health] : [health, await checkKey(transport, key)];
  } catch (error) {
    const { message } = toDecorumError(error);
    return [fail('API', message, 'Set DECORUM_URL to the gRPC address that npm start prints.')];
  }
}

async function checkHealth(transport: GrpcTransport, url: string): Promise<Finding> {
  const startedAt = performance.now();
  try {
    const { status } = await createApiClient(Health, transport).check({}, { timeoutMs: 5_000 });
    const ms = Math.round(performance.now() - startedAt);
    if (status === ServingStatus.SERVING) return ok('API', `${url} serves (${ms} ms)`);
    return warn(
      'API',
      `${url} answers, but is not serving`,
      'Look at /readyz on its HTTP address: it says what is missing.',
    );
  } catch (thrown) {
    const { reason, message } = toDecorumError(thrown);
    if (reason === 'UNREACHABLE')
      return fail('API', `${url} does not answer`, 'Start it with npm start, or set DECORUM_URL.');
    return fail('API', message, 'Set DECORUM_URL to the gRPC address that npm start prints.');
  }
}

/** Each role may call something that changes nothing; which of these is answered tells the role. */
async function checkKey(transport: GrpcTransport, key: string | undefined): Promise<Finding> {
  if (key === undefined)
    return warn('key', 'none', 'Set DECORUM_KEY; an operator makes one with npx decorum key create.');
  const probes = [
    { role: 'tenant', call: () => createApiClient(CrawlService, transport).getQuota({}) },
    { role: 'tenant', call: () => createApiClient(ResultService, transport).listGroups({}) },
    { role: 'operator', call: () => createApiClient(TenantService, transport).listTenants({ pageSize: 1 }) },
  ];
  for (const { role, call } of probes) {
    const answer = await call().then(
      () => undefined,
      (error: unknown) => toDecorumError(error),
    );
    if (answer === undefined) return ok('key', `is valid, for the role ${role}`);
    if (answer.code === 'unauthenticated')
      return fail(
        'key',
        answer.message,
        'Set DECORUM_KEY to a key that is known here, not expired and not revoked.',
      );
    // Roles are looked at before anything else, so that this says that the role is right.
    if (answer.code === 'unimplemented') return ok('key', `is valid, for the role ${role}`);
    if (!isRefusedRole(answer)) return warn('key', answer.message, "Look at the platform's log.");
  }
  return ok('key', 'is valid, for another role than tenant or operator');
}

function isRefusedRole({ code }: DecorumError): boolean {
  return code === 'permission_denied';
}
