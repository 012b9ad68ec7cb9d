import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import {
  answerBody,
  answerRedirect,
  formatHead,
  type Answer,
  type AnswerHeaders,
  type AnswerStep,
} from '../answer.ts';
import { headerOf, type WebRequest } from '../parse-request.ts';

/** What a pathology sees: the rest of the path after its name, the query, and how often this URL was asked before. */
export type PathologyRequest = {
  request: WebRequest;
  origin: string;
  rest: string[];
  query: URLSearchParams;
  askedBefore: number;
};

const HTML = { 'Content-Type': 'text/html; charset=utf-8' };
const filler = (bytes: number): Buffer => Buffer.alloc(bytes, '<p>the same words over and over</p>\n');
const document = (title: string, links: string[] = []): string =>
  `<!doctype html><title>${title}</title>${links.map((link) => `<a href="${link}">${link}</a>`).join('\n')}`;

function numberOf(query: URLSearchParams, name: string, otherwise: number): number {
  const value = query.get(name);
  return value === null ? otherwise : Number(value);
}

function* drip(body: Buffer, everyMs: number, head: Buffer): Iterable<AnswerStep> {
  yield head;
  for (let at = 0; at < body.length; at++) {
    yield { waitMs: everyMs };
    yield body.subarray(at, at + 1);
  }
}

function* repeat(bytes: number, head: Buffer): Iterable<AnswerStep> {
  const piece = filler(65_536);
  yield head;
  for (let left = bytes; left > 0; left -= piece.length)
    yield piece.subarray(0, Math.min(left, piece.length));
}

function chunk(body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]);
}

const coded = (coding: string, body: Buffer, headers: AnswerHeaders = {}): Answer =>
  answerBody(200, body, { 'Content-Encoding': coding, ...headers });

/**
 * Sick and merely unusual behaviour, by the first segment of the path. Numbers come in the query:
 * `/slow?ms=`, `/drip?bytes=&everyMs=`, `/reset?bytes=`, `/truncated?bytes=&lost=`, `/big?bytes=`, `/bomb?bytes=`,
 * `/headers?bytes=`; `/status/503?retry-after=120`, `/redirect/3?to=URL&status=302`, `/flaky/2` (503 the first two
 * times), `/noindex?header=none`.
 */
export const PATHOLOGIES: Record<string, (asked: PathologyRequest) => Answer> = {
  status({ rest, query }) {
    const retryAfter = query.get('retry-after');
    return answerBody(Number(rest[0] ?? 200), document(`status ${rest[0] ?? ''}`), {
      ...(retryAfter === null ? {} : { 'Retry-After': retryAfter }),
    });
  },
  flaky: ({ rest, askedBefore }) =>
    answerBody(askedBefore < Number(rest[0] ?? 1) ? 503 : 200, document('flaky')),
  slow({ query }) {
    const answer = answerBody(200, document('slow'));
    return { ...answer, steps: [{ waitMs: numberOf(query, 'ms', 3_000) }, ...answer.steps] };
  },
  drip({ query }) {
    const body = filler(numberOf(query, 'bytes', 100));
    const head = formatHead(200, { ...HTML, 'Content-Length': String(body.length) });
    return { status: 200, steps: drip(body, numberOf(query, 'everyMs', 100), head), finish: 'keep' };
  },
  hang: () => ({ status: 0, steps: [], finish: 'hang' }),
  stall({ query }) {
    const head = formatHead(200, { ...HTML, 'Content-Length': '100000' });
    return { status: 200, steps: [head, filler(numberOf(query, 'bytes', 1_000))], finish: 'hang' };
  },
  reset({ query }) {
    const bytes = numberOf(query, 'bytes', 0);
    const head = formatHead(200, { ...HTML, 'Content-Length': '100000' });
    // The wait lets the client read what was sent: a reset discards what it has not read yet.
    return { status: 200, steps: bytes > 0 ? [head, filler(bytes), { waitMs: 50 }] : [], finish: 'reset' };
  },
  truncated({ query }) {
    const body = filler(numberOf(query, 'bytes', 1_000));
    const length = body.length + numberOf(query, 'lost', 500);
    const head = formatHead(200, { ...HTML, 'Content-Length': String(length) });
    return { status: 200, steps: [head, body], finish: 'close', isCut: true };
  },
  redirect({ rest, query, origin }) {
    const hopsLeft = Number(rest[0] ?? 1);
    const to = query.get('to');
    if (hopsLeft <= 0) return answerBody(200, document('arrived'));
    const next =
      hopsLeft === 1 && to !== null
        ? to
        : `/redirect/${hopsLeft - 1}${to === null ? '' : `?${String(query)}`}`;
    return answerRedirect(numberOf(query, 'status', 302), new URL(next, origin).href, next);
  },
  loop({ rest, origin }) {
    const next = rest[0] === 'back' ? '/loop' : '/loop/back';
    return answerRedirect(301, origin + next, next);
  },
  big({ query }) {
    const bytes = numberOf(query, 'bytes', 20_000_000);
    const head = formatHead(200, { ...HTML, 'Content-Length': String(bytes) });
    return { status: 200, steps: repeat(bytes, head), finish: 'keep' };
  },
  gzip: () => coded('gzip', gzipSync(document('gzip', ['/']))),
  deflate: () => coded('deflate', deflateSync(document('deflate', ['/']))),
  br: () => coded('br', brotliCompressSync(document('br', ['/']))),
  bomb: ({ query }) => coded('gzip', gzipSync(Buffer.alloc(numberOf(query, 'bytes', 50_000_000)))),
  chunked() {
    const head = formatHead(200, { ...HTML, 'Transfer-Encoding': 'chunked' });
    const pieces = [document('chunked'), '<p>one</p>', '<a href="/">two</a>'].map((text) =>
      chunk(Buffer.from(text)),
    );
    return { status: 200, steps: [head, ...pieces, Buffer.from('0\r\n\r\n')], finish: 'keep' };
  },
  close: () => ({
    status: 200,
    steps: [formatHead(200, { ...HTML, Connection: 'close' }), Buffer.from(document('until the end', ['/']))],
    finish: 'close',
  }),
  badheader: () => ({
    status: 200,
    steps: [
      Buffer.from(
        'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nno colon here\r\nContent-Length: 2\r\n\r\nhi',
      ),
    ],
    finish: 'close',
  }),
  headers: ({ query }) =>
    answerBody(200, document('headers'), { 'X-Filler': 'x'.repeat(numberOf(query, 'bytes', 20_000)) }),
  etag({ request }) {
    const etag = '"the-same-for-ever"';
    const headers = { ETag: etag, 'Last-Modified': 'Mon, 02 Nov 2026 08:00:00 GMT' };
    return headerOf(request, 'if-none-match') === etag
      ? answerBody(304, '', headers)
      : answerBody(200, document('etag'), headers);
  },
  noindex: ({ query }) =>
    answerBody(200, '<!doctype html><meta name="robots" content="noindex, nofollow"><title>noindex</title>', {
      'X-Robots-Tag': query.get('header') ?? 'noindex',
    }),
  latin1: () =>
    answerBody(
      200,
      Buffer.from('<!doctype html><title>caf\xe9</title>', 'latin1'),
      {},
      'text/html; charset=iso-8859-1',
    ),
  trap: ({ rest }) =>
    answerBody(
      200,
      document(
        `day ${rest.length}`,
        ['next', 'previous'].map((way) => `/trap/${[...rest, way].join('/')}`),
      ),
    ),
};
