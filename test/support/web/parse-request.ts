/** A request head as it arrived. `firstByteAt` is the reading of the clock that came with its first byte. */
export type WebRequest = {
  method: string;
  path: string;
  version: string;
  headers: [name: string, value: string][];
  firstByteAt: number;
};

/** What a chunk completed: whole requests in order, and whether the rest can never become one. */
export type ParsedChunk = { requests: WebRequest[]; isBroken: boolean };

const HEAD_BYTES_MAX = 65_536;
const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Reads HTTP/1.1 request heads off a connection (RFC 9112 §3), each with the time of its first byte, which node:http
 * does not tell. Bodies are skipped by Content-Length; chunked request bodies are refused.
 */
export function createRequestParser(): (chunk: Buffer, at: number) => ParsedChunk {
  let held = Buffer.alloc(0);
  let firstByteAt = 0;
  let bodyBytesLeft = 0;
  return (chunk, at) => {
    if (held.length === 0) firstByteAt = at;
    held = Buffer.concat([held, chunk]);
    const requests: WebRequest[] = [];
    while (held.length > 0) {
      if (bodyBytesLeft > 0) {
        const skipped = Math.min(bodyBytesLeft, held.length);
        bodyBytesLeft -= skipped;
        held = held.subarray(skipped);
        firstByteAt = at;
        continue;
      }
      const end = held.indexOf(HEAD_END);
      if (end < 0) return { requests, isBroken: held.length > HEAD_BYTES_MAX };
      const request = parseHead(held.subarray(0, end).toString('latin1'), firstByteAt);
      if (!request) return { requests, isBroken: true };
      requests.push(request);
      held = held.subarray(end + HEAD_END.length);
      firstByteAt = at;
      bodyBytesLeft = Number(headerOf(request, 'content-length') ?? 0);
      if (!Number.isSafeInteger(bodyBytesLeft) || headerOf(request, 'transfer-encoding') !== undefined)
        return { requests, isBroken: true };
    }
    return { requests, isBroken: false };
  };
}

function parseHead(text: string, firstByteAt: number): WebRequest | undefined {
  const [requestLine = '', ...lines] = text.split('\r\n');
  const match = /^([A-Z]+) (\/[^ ]*) (HTTP\/1\.[01])$/.exec(requestLine);
  if (!match) return undefined;
  const headers: [string, string][] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon <= 0) return undefined;
    headers.push([line.slice(0, colon), line.slice(colon + 1).trim()]);
  }
  const [, method = '', path = '', version = ''] = match;
  return { method, path, version, headers, firstByteAt };
}

/** The first value of a header, by its lower-case name. */
export const headerOf = (request: WebRequest, name: string): string | undefined =>
  request.headers.find(([key]) => key.toLowerCase() === name)?.[1];
