import type { Socket } from 'node:net';
import type { Answer } from './answer.ts';
import { createRequestParser, headerOf, type WebRequest } from './parse-request.ts';
import { readLogClock, type ConnectionEntry, type RequestEntry, type WebLog } from './web-log.ts';
import { writeAnswer } from './write-answer.ts';

// Serves one accepted connection: requests are read with the time of their first byte, queued, and answered one
// after the other. A FIN from the client counts as its leaving: a client that only half-closes is treated alike,
// because the two look the same from here and a silent one would otherwise count as connected for ever.

// A client that ignores our FIN is cut off after this long.
const LINGER_MS = 5_000;

/** What a connection needs of the web. `scheme` is what the caller made of the socket (TLS or not). */
export type ConnectionDeps = {
  log: WebLog;
  scheme: 'http' | 'https';
  idleMs: number;
  answer(request: WebRequest, address: string): Promise<Answer>;
};

/** Serves a connection until it is closed; never throws. The entry counts from now to the first sign of its close. */
export function serveConnection(socket: Socket, deps: ConnectionDeps): void {
  const entry: ConnectionEntry = {
    kind: 'connection',
    id: deps.log.nextId(),
    scheme: deps.scheme,
    address: socket.localAddress ?? '',
    clientPort: socket.remotePort ?? 0,
    acceptedAt: readLogClock(),
    closedAt: null,
  };
  deps.log.entries.push(entry);
  const left = new AbortController();
  const seeClose = (): void => {
    entry.closedAt ??= readLogClock();
    left.abort();
  };
  socket.setNoDelay(true);
  socket.setTimeout(deps.idleMs, () => endConnection(socket));
  for (const sign of ['end', 'close', 'error'] as const) socket.on(sign, seeClose);

  const parse = createRequestParser();
  let queue = Promise.resolve();
  socket.on('data', (chunk: Buffer) => {
    const { requests, isBroken } = parse(chunk, readLogClock());
    for (const request of requests) {
      const requestEntry = createRequestEntry(deps.log.nextId(), entry, request);
      deps.log.entries.push(requestEntry);
      queue = queue.then(() => serveRequest(socket, request, requestEntry, entry, deps, left.signal));
    }
    if (isBroken) queue = queue.then(() => endConnection(socket, 'HTTP/1.1 400 Bad Request\r\n\r\n'));
  });
}

function createRequestEntry(id: number, connection: ConnectionEntry, request: WebRequest): RequestEntry {
  return {
    kind: 'request',
    id,
    connection: connection.id,
    scheme: connection.scheme,
    address: connection.address,
    host: (headerOf(request, 'host') ?? '').toLowerCase(),
    method: request.method,
    path: request.path,
    headers: request.headers,
    userAgent: headerOf(request, 'user-agent') ?? '',
    startedAt: request.firstByteAt,
    endedAt: null,
    status: 0,
    bytes: 0,
    clientLeft: false,
    isComplete: false,
  };
}

async function serveRequest(
  socket: Socket,
  request: WebRequest,
  entry: RequestEntry,
  connection: ConnectionEntry,
  deps: ConnectionDeps,
  left: AbortSignal,
): Promise<void> {
  socket.setTimeout(0);
  const answer = await deps.answer(request, entry.address);
  const wantsClose =
    request.version === 'HTTP/1.0' || headerOf(request, 'connection')?.toLowerCase() === 'close';
  if (!left.aborted) await writeAnswer(socket, answer, entry, left);
  if (left.aborted) {
    entry.clientLeft = entry.endedAt === null;
    entry.endedAt ??= connection.closedAt;
    return;
  }
  switch (answer.finish) {
    case 'keep':
      if (wantsClose) endConnection(socket);
      else socket.setTimeout(deps.idleMs);
      return;
    case 'close':
      endConnection(socket);
      return;
    case 'reset':
      connection.closedAt ??= readLogClock();
      socket.resetAndDestroy();
      return;
    case 'hang':
      await new Promise<void>((resolve) => left.addEventListener('abort', () => resolve()));
      entry.clientLeft = true;
      entry.endedAt = connection.closedAt;
  }
}

function endConnection(socket: Socket, lastWords = ''): void {
  socket.end(lastWords);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
