import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

/** A request as a site sees it; times on this process' monotonic clock. */
export type SeenRequest = {
  readonly startedAtMs: number;
  /** Before the last byte of the answer was handed to the kernel, or when the close was seen first. */
  endedAtMs: number;
  readonly connection: number;
  /** Request line and field lines, as received. */
  readonly head: string;
  readonly path: string;
  readonly sni: string;
};

/** A connection as a site sees it. */
export type SeenConnection = { readonly openedAtMs: number; closedAtMs: number };

/** Answers a request by writing bytes; whoever wants to keep the site waiting writes nothing. */
export type Respond = (request: SeenRequest, socket: Socket) => void | Promise<void>;

/** A site that writes whatever a test wants, well-formed or not. */
export type RawSite = AsyncDisposable & {
  readonly address: string;
  readonly port: number;
  readonly requests: SeenRequest[];
  readonly connections: SeenConnection[];
  /** Connections that were open at the same time. */
  readonly openMax: () => number;
};

/** Starts a site on an address of 127.64.0.0/10, with TLS when a key pair is given. */
export async function startRawSite(
  address: string,
  respond: Respond,
  tls?: { key: string; cert: string },
): Promise<RawSite> {
  const requests: SeenRequest[] = [];
  const connections: SeenConnection[] = [];
  const sockets = new Set<Socket>();
  let open = 0;
  let openMax = 0;

  const serve = (socket: Socket): void => {
    const connection = connections.push({ openedAtMs: performance.now(), closedAtMs: Infinity }) - 1;
    sockets.add(socket);
    openMax = Math.max(openMax, (open += 1));
    let current: SeenRequest | null = null;
    let text = '';
    let startedAtMs = 0;
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      if (text === '') startedAtMs = performance.now();
      text += chunk.toString('latin1');
      if (!text.includes('\r\n\r\n')) return;
      const path = text.split(' ', 2)[1] ?? '';
      const sni = 'servername' in socket ? String(socket.servername) : '';
      current = { startedAtMs, endedAtMs: Infinity, connection, head: text, path, sni };
      text = '';
      requests.push(current);
      void respond(current, socket);
    });
    socket.on('close', () => {
      open -= 1;
      sockets.delete(socket);
      const seen = connections[connection];
      if (seen !== undefined) seen.closedAtMs = performance.now();
      if (current?.endedAtMs === Infinity) current.endedAtMs = performance.now();
    });
  };
  const server: Server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, address, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address,
    port,
    requests,
    connections,
    openMax: () => openMax,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Writes a whole answer and stamps the request's end before its last byte. */
export function answer(
  request: SeenRequest,
  socket: Socket,
  parts: { status?: string; fields?: readonly string[]; body?: string | Uint8Array } = {},
): void {
  const body = Buffer.from(parts.body ?? '');
  const head = [
    `HTTP/1.1 ${parts.status ?? '200 OK'}`,
    ...(parts.fields ?? ['Content-Type: text/html']),
    `Content-Length: ${body.length}`,
  ].join('\r\n');
  request.endedAtMs = performance.now();
  socket.write(Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body]));
}
