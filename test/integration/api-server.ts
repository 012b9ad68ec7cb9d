import type { Caller } from '@decorum/server/api/caller.ts';
import { startApi, type StartApiOptions } from '@decorum/server/api/start-api.ts';
import { loadConfig } from '@decorum/server/config/load-config.ts';
import { createLogger } from '@decorum/server/runtime/logger.ts';
import { createMetrics } from '@decorum/server/runtime/metrics.ts';
import { createReadiness } from '@decorum/server/runtime/readiness.ts';
import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { once } from 'node:events';
import {
  connect,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { join } from 'node:path';

/** Keys that the test's API knows. */
export const KEYS = { operator: 'dk_op_secret', tenant: 'dk_t1_secret', broken: 'dk_x_secret' };

const CALLERS = new Map<string, Caller>([
  [KEYS.operator, { keyId: 'op', role: 'operator' }],
  [KEYS.tenant, { keyId: 't1', role: 'tenant', tenantId: 'search' }],
  [KEYS.broken, { keyId: 'x', role: 'tenant' }],
]);

const PURPOSES = [{ code: 'SEARCH', description: 'web search', robotsToken: 'decorumbot-search' }];

type TestApiOptions = Partial<Pick<StartApiOptions, 'limits' | 'pages'>> & {
  readonly deps?: Partial<StartApiOptions['deps']>;
  readonly env?: Record<string, string>;
};

/** The API's transport on free ports of loopback, over dependencies that are plain functions. */
export async function startTestApi({ deps, env, ...options }: TestApiOptions = {}) {
  const lines: string[] = [];
  const shutdown = new AbortController();
  const metrics = createMetrics();
  const readiness = createReadiness();
  const any = { DECORUM_GRPC_ADDRESS: '127.0.0.1:0', DECORUM_HTTP_ADDRESS: '127.0.0.1:0' };
  const api = await startApi({
    config: loadConfig({ ...any, ...env }),
    logger: createLogger({ level: 'debug', write: (line) => lines.push(line) }),
    metrics,
    readiness,
    signal: shutdown.signal,
    deps: {
      authenticate: async (token) => CALLERS.get(token) ?? null,
      listPurposes: async () => PURPOSES,
      ...deps,
    } as StartApiOptions['deps'],
    ...options,
  });
  let closed: PromiseLike<void> | undefined;
  return {
    ...api,
    url: `http://${api.httpAddress}`,
    readiness,
    metrics,
    shutdown,
    log: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]();
      await (closed ??= metrics[Symbol.asyncDispose]());
    },
  };
}

/** A call in flight of a stock grpc-js client. */
export type UnaryCall = (
  request: object,
  metadata: grpc.Metadata,
  options: grpc.CallOptions,
  callback: (error: grpc.ServiceError | null, response?: Record<string, unknown>) => void,
) => grpc.ClientUnaryCall;

const PROTO = join(import.meta.dirname, '../../proto');

/** A stock grpc-js client of a service, made from its .proto file. */
export function grpcClient(
  target: string,
  file = 'decorum/admin/v1/tenant_service.proto',
  service = 'decorum.admin.v1.TenantService',
  credentials = grpc.credentials.createInsecure(),
  options: grpc.ChannelOptions = {},
) {
  const loaded = grpc.loadPackageDefinition(
    loadSync(file, { includeDirs: [PROTO], longs: String, enums: String }),
  );
  const constructor = service
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], loaded);
  const client = new (constructor as grpc.ServiceClientConstructor)(target, credentials, options);
  return Object.assign(client, { [Symbol.dispose]: () => client.close() }) as unknown as grpc.Client &
    Disposable &
    Record<string, UnaryCall>;
}

/** Calls a unary method of a grpc-js client; rejects with its ServiceError. */
export function callUnary(
  client: Record<string, UnaryCall>,
  method: string,
  request: object = {},
  { key, ...options }: grpc.CallOptions & { key?: string } = {},
): Promise<Record<string, unknown>> {
  const metadata = new grpc.Metadata();
  if (key !== undefined) metadata.set('authorization', `Bearer ${key}`);
  return new Promise((resolve, reject) => {
    client[method]?.(request, metadata, { deadline: Date.now() + 20_000, ...options }, (error, response) => {
      if (error === null) resolve(response ?? {});
      else reject(error);
    });
  });
}

/** An HTTP/2 connection of the test's own, to see what clients hide. */
export async function openSession(address: string): Promise<ClientHttp2Session & AsyncDisposable> {
  const session = connect(`http://${address}`);
  await once(session, 'remoteSettings');
  session.on('error', () => undefined);
  return Object.assign(session, {
    async [Symbol.asyncDispose]() {
      if (session.destroyed) return;
      const closed = once(session, 'close');
      session.destroy();
      await closed;
    },
  });
}

/** One exchange on an HTTP/2 connection. */
export async function exchange(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: Buffer) {
  const stream = session.request(headers, { endStream: body === undefined });
  let trailers: IncomingHttpHeaders = {};
  stream.once('trailers', (received: IncomingHttpHeaders) => (trailers = received));
  const response = once(stream, 'response') as Promise<[IncomingHttpHeaders]>;
  if (body !== undefined) stream.end(body);
  const [received] = await response;
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return { headers: received, trailers, body: Buffer.concat(chunks) };
}

/** The header of a gRPC call. */
export function grpcHeaders(path: string, key?: string): OutgoingHttpHeaders {
  return {
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
}

/** A gRPC or gRPC-Web frame around a message. */
export function frame(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
