import { Health } from '@decorum/proto/grpc/health/v1/health_pb.ts';
import { ServerReflection } from '@decorum/proto/grpc/reflection/v1/reflection_pb.ts';
import { ServerReflection as ServerReflectionAlpha } from '@decorum/proto/grpc/reflection/v1alpha/reflection_pb.ts';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import type { Config } from '../config/config.ts';
import { systemClock, type Clock } from '../runtime/clock.ts';
import { DomainError } from '../runtime/domain-error.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Readiness } from '../runtime/readiness.ts';
import { createCallObserver } from './calls/create-call-observer.ts';
import { createErrorInterceptor } from './calls/create-error-interceptor.ts';
import { createRequestGate, type Authenticate } from './calls/create-request-gate.ts';
import { createRpcServer, type ServeRpc } from './calls/create-rpc-server.ts';
import { createValidationInterceptor } from './calls/create-validation-interceptor.ts';
import { assertRolesDeclared } from './calls/required-roles.ts';
import { toConnectError } from './calls/to-connect-error.ts';
import { drainListeners } from './drain-listeners.ts';
import { routeServices, SERVICES, type HandlerDeps } from './handlers.ts';
import { healthHandlers } from './health/health-handlers.ts';
import { API_LIMITS, type ApiLimits } from './limits.ts';
import { listenGrpc } from './listen/listen-grpc.ts';
import { listenHttp } from './listen/listen-http.ts';
import type { Listener } from './listen/listener.ts';
import { routeRequests } from './listen/route-requests.ts';
import { createPublicPages, createStatusPages } from './pages/create-pages.ts';
import type { Pages } from './pages/page.ts';
import { createDescriptorIndex } from './reflection/create-descriptor-index.ts';
import { reflectionHandlers } from './reflection/reflection-handlers.ts';

/** What the role `api` needs. */
export type StartApiOptions = {
  readonly config: Pick<Config, 'grpcAddress' | 'httpAddress' | 'tls' | 'identity'>;
  readonly deps: HandlerDeps & { readonly authenticate: Authenticate };
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  /** The process' shutdown: when it aborts, readiness and health say so; calls are served until the API is disposed. */
  readonly signal: AbortSignal;
  /** Further pages of the HTTP listener, by path. */
  readonly pages?: Pages;
  readonly limits?: Partial<ApiLimits>;
  readonly clock?: Clock;
  /** 0 to 1. */
  readonly random?: () => number;
};

/**
 * A running API. Disposing drains it, for at most `drainMs` and `abortMs` of `API_LIMITS`: after whoever in this process
 * still has something to call for.
 */
export type Api = AsyncDisposable & {
  /** `host:port` as bound. */
  readonly grpcAddress: string;
  readonly httpAddress: string;
};

type Parts = Required<Omit<StartApiOptions, 'limits' | 'pages'>> & {
  readonly limits: ApiLimits;
  readonly pages: Pages;
  readonly draining: AbortController;
  readonly aborting: AbortController;
};

/**
 * Serves all services on two listeners: gRPC over HTTP/2 on one; Connect, gRPC-Web and the pages over HTTP/1.1 on the
 * other. Rejects when a method declares no roles or an address cannot be bound.
 */
export async function startApi(options: StartApiOptions): Promise<Api> {
  assertRolesDeclared(SERVICES);
  const parts: Parts = {
    clock: systemClock,
    random: Math.random,
    ...options,
    pages: new Map(options.pages),
    limits: { ...API_LIMITS, ...options.limits },
    draining: new AbortController(),
    aborting: new AbortController(),
  };
  const [grpc, http] = await listenBoth(parts, serveCalls(parts));
  observeConnections(parts, { grpc, http });
  const forget = reportShutdown(parts);

  let drained: Promise<void> | undefined;
  const drain = async (): Promise<void> => {
    forget();
    parts.draining.abort();
    await drainListeners({ ...parts, listeners: [grpc, http], abortCalls: () => abortCalls(parts) });
  };
  return {
    grpcAddress: grpc.address,
    httpAddress: http.address,
    [Symbol.asyncDispose]: () => (drained ??= drain()),
  };
}

/** Sends new work elsewhere from the moment the process begins to end. */
function reportShutdown({ signal, readiness }: Parts): () => void {
  const report = (): void => readiness.report('process', 'shutting down');
  if (signal.aborted) report();
  else signal.addEventListener('abort', report, { once: true });
  return () => signal.removeEventListener('abort', report);
}

function serveCalls(parts: Parts): ServeRpc {
  const { deps, logger, limits, readiness, draining, aborting } = parts;
  const reportInternal = (cause: unknown): string => {
    const errorId = randomUUID();
    logger.error('internal error', { errorId }, cause);
    return errorId;
  };
  const observe = createCallObserver({ ...parts, meter: parts.metrics.meter });
  const served = [...SERVICES, Health, ServerReflection, ServerReflectionAlpha];
  const descriptors = createDescriptorIndex(served);

  return createRpcServer({
    limits,
    logger,
    shutdownSignal: aborting.signal,
    requestGate: createRequestGate({ authenticate: deps.authenticate, observe, reportInternal }),
    interceptors: [createErrorInterceptor(reportInternal), createValidationInterceptor()],
    routes(router) {
      routeServices(router, deps);
      router.service(Health, healthHandlers({ readiness, services: SERVICES, draining: draining.signal }));
      router.service(ServerReflection, reflectionHandlers<typeof ServerReflection>(descriptors));
      router.service(ServerReflectionAlpha, reflectionHandlers<typeof ServerReflectionAlpha>(descriptors));
    },
  });
}

async function listenBoth(parts: Parts, serveRpc: ServeRpc): Promise<readonly [Listener, Listener]> {
  const { config, logger, clock } = parts;
  const startedAt = new Date(clock.wallMs());
  const pages = new Map([
    ...createStatusPages(parts),
    ...createPublicPages(config.identity, startedAt),
    ...parts.pages,
  ]);
  const { publicUrl } = config.identity;
  const route = (pages: Pages) => routeRequests({ serveRpc, pages, publicUrl, logger });

  const grpc = await listenGrpc({
    ...parts,
    address: config.grpcAddress,
    tls: config.tls && (await readKeyPair(config.tls)),
    handle: route(new Map()),
  });
  try {
    const http = await listenHttp({ ...parts, address: config.httpAddress, handle: route(pages) });
    return [grpc, http];
  } catch (error) {
    await grpc[Symbol.asyncDispose]();
    throw error;
  }
}

async function readKeyPair({
  certFile,
  keyFile,
}: NonNullable<Config['tls']>): Promise<{ cert: Buffer; key: Buffer }> {
  try {
    return { cert: await readFile(certFile), key: await readFile(keyFile) };
  } catch (error) {
    const names = 'DECORUM_GRPC_TLS_CERT_FILE or DECORUM_GRPC_TLS_KEY_FILE';
    throw new Error(`cannot read the file that ${names} names`, { cause: error });
  }
}

function observeConnections({ metrics }: Parts, listeners: Readonly<Record<string, Listener>>): void {
  const gauge = metrics.meter.createObservableGauge('decorum.rpc.connections', {
    description: 'Open connections',
  });
  gauge.addCallback((result) => {
    for (const [listener, { connections }] of Object.entries(listeners))
      result.observe(connections(), { listener });
  });
}

function abortCalls({ aborting }: Parts): void {
  const error = new DomainError({
    kind: 'unavailable',
    reason: 'SHUTTING_DOWN',
    message: 'this node is shutting down; try again, on another one',
    retryAfterMs: 0,
  });
  aborting.abort(toConnectError(error, () => ''));
}
