import { createSecureServer, createServer, type ServerOptions } from 'node:http2';
import { Server as NetServer } from 'node:net';

import type { ListenAddress } from '../../config/parse-listen-address.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { ApiLimits } from '../limits.ts';
import { bind } from './bind.ts';
import { keepSessions, type SessionsDeps } from './keep-sessions.ts';
import type { HandleRequest, Listener } from './listener.ts';

/** What the gRPC listener needs. */
export type ListenGrpcDeps = SessionsDeps & {
  readonly address: ListenAddress;
  /** PEM; absent: h2c with prior knowledge. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  readonly handle: HandleRequest;
  readonly logger: Logger;
};

/** HTTP/2 only: gRPC, and Connect for who speaks it over HTTP/2. */
export async function listenGrpc(deps: ListenGrpcDeps): Promise<Listener> {
  const { address, tls, limits, handle, logger } = deps;
  const options = serverOptions(limits);
  const server =
    tls === undefined
      ? createServer(options)
      : createSecureServer({ ...options, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: limits.headersMs });
  const sessions = keepSessions(deps);

  server.maxConnections = limits.connectionsMax;
  server.on('session', (session) => {
    session.setLocalWindowSize(limits.connectionWindowBytes);
    sessions.add(session);
  });
  server.on('sessionError', (error) => logger.debug('a connection failed', {}, error));
  server.on('request', handle);

  const bound = await bind(server, address, 'DECORUM_GRPC_ADDRESS');
  return {
    address: bound,
    connections: sessions.size,
    async drain() {
      // Not http2's own close, which at once forbids the streams that are on their way.
      const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
      sessions.leaveAll();
      await closed;
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      sessions.destroyAll();
      sessions[Symbol.dispose]();
      await closed;
    },
  };
}

function serverOptions(limits: ApiLimits): ServerOptions {
  return {
    settings: {
      maxConcurrentStreams: limits.streamsPerConnectionMax,
      maxHeaderListSize: limits.headerBytesMax,
      initialWindowSize: limits.streamWindowBytes,
    },
    maxSessionMemory: limits.connectionMemoryMb,
    streamResetBurst: limits.resetBurst,
    streamResetRate: limits.resetsPerSecond,
    // Streams beyond the maximum, as they come when calls are cancelled faster than we let go of them, are refused one by
    // one; Node ends the connection at the hundredth.
    maxSessionRejectedStreams: limits.resetBurst,
    unknownProtocolTimeout: limits.headersMs,
  };
}
