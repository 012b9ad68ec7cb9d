import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { once } from 'node:events';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';

/** A connect-node server over h2c on loopback, whose connections a test may treat badly. */
export type HandlerServer = AsyncDisposable & {
  readonly url: string;
  readonly port: number;
  readonly sessions: ReadonlySet<http2.ServerHttp2Session>;
};

/** Serves `routes`; port 0 takes a free one. With a key pair it speaks TLS. */
export async function serveHandlers(
  routes: (router: ConnectRouter) => void,
  port = 0,
  tls?: { readonly key: string; readonly cert: string },
): Promise<HandlerServer> {
  const sessions = new Set<http2.ServerHttp2Session>();
  const handle = connectNodeAdapter({ routes, acceptCompression: [] });
  const server = tls === undefined ? http2.createServer(handle) : http2.createSecureServer(tls, handle);
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => undefined);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${bound}`,
    port: bound,
    sessions,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}
