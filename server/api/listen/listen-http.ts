import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { ListenAddress } from '../../config/parse-listen-address.ts';
import type { ApiLimits } from '../limits.ts';
import { bind } from './bind.ts';
import type { HandleRequest, Listener } from './listener.ts';

/** What the HTTP listener needs. */
export type ListenHttpDeps = {
  readonly address: ListenAddress;
  readonly limits: ApiLimits;
  readonly handle: HandleRequest;
};

/**
 * HTTP/1.1, guarded against peers that send slowly: a header takes at most `headersMs`, a whole request at most as long as
 * a unary call (who streams longer to us uses HTTP/2), and a connection without a request is closed after `idleMs`.
 */
export async function listenHttp({ address, limits, handle }: ListenHttpDeps): Promise<Listener> {
  const sockets = new Map<Socket, Set<ServerResponse>>();
  let isDraining = false;
  const closeIfIdle = (socket: Socket): void => {
    if (isDraining && (sockets.get(socket)?.size ?? 0) === 0) socket.destroySoon();
  };

  const server = createServer({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.callMsMax + limits.overrunMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.sweepMs,
  });
  server.maxConnections = limits.connectionsMax;
  server.on('connection', (socket) => {
    sockets.set(socket, new Set());
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    sockets.get(socket)?.add(response);
    response.once('close', () => {
      sockets.get(socket)?.delete(response);
      closeIfIdle(socket);
    });
    if (isDraining) response.setHeader('connection', 'close');
    handle(request, response);
  });

  const bound = await bind(server, address, 'DECORUM_HTTP_ADDRESS');
  return {
    address: bound,
    connections: () => sockets.size,
    async drain() {
      isDraining = true;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const responses of sockets.values()) {
        for (const response of responses)
          if (!response.headersSent) response.setHeader('connection', 'close');
      }
      for (const socket of sockets.keys()) closeIfIdle(socket);
      await closed;
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
