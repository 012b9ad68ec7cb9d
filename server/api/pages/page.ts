import type { NodeRequest, NodeResponse } from '../calls/create-rpc-server.ts';

/** What a page answers. */
export type PageAnswer = {
  readonly status?: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A page of the HTTP listener: GET and HEAD, without input. */
export type Page = () => PageAnswer | Promise<PageAnswer>;

/** Pages by path. */
export type Pages = ReadonlyMap<string, Page>;

const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** Answers a request with its page: 404 for another path, 405 for another method. Rejects when the page does. */
export async function answerPage(pages: Pages, request: NodeRequest, response: NodeResponse): Promise<void> {
  const { status = 200, contentType, body, headers } = await choose(pages, request);
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    ...SECURITY_HEADERS,
    ...headers,
  });
  if (request.method === 'HEAD') response.end();
  else response.end(body);
}

function choose(pages: Pages, { url, method }: NodeRequest): PageAnswer | Promise<PageAnswer> {
  const page = pages.get(url?.split('?', 1)[0] ?? '');
  const contentType = 'text/plain; charset=utf-8';
  if (page === undefined) return { status: 404, contentType, body: 'There is no such page.\n' };
  if (method === 'GET' || method === 'HEAD') return page();
  return { status: 405, contentType, body: 'This page can only be read.\n', headers: { allow: 'GET, HEAD' } };
}
