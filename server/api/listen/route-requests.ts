import type { NodeRequest, NodeResponse, ServeRpc } from '../calls/create-rpc-server.ts';
import type { Logger } from '../../runtime/logger.ts';
import { answerUnknownMethod } from '../calls/answer-unknown-method.ts';
import { answerPage, type Pages } from '../pages/page.ts';
import type { HandleRequest } from './listener.ts';

/** What routing needs. */
export type RouteDeps = {
  readonly serveRpc: ServeRpc;
  readonly pages: Pages;
  /** The URL that browsers know us by. */
  readonly publicUrl: string;
  readonly logger: Logger;
};

/**
 * Sends a request where its path belongs: an RPC or a page. Browsers may call from our own origin only: no CORS header is
 * ever sent, and what comes from another origin all the same is refused.
 */
export function routeRequests({ serveRpc, pages, publicUrl, logger }: RouteDeps): HandleRequest {
  const publicOrigin = new URL(publicUrl).origin;
  return (request, response) => {
    if (isCrossOrigin(request, publicOrigin)) {
      response.writeHead(403, { 'content-type': 'text/plain' });
      response.end('Browsers may call from our own origin only.\n');
    } else if (serveRpc(request, response)) {
      return;
    } else if (request.method === 'POST') {
      answerUnknownMethod(request, response);
    } else {
      answerPage(pages, request, response).catch((error: unknown) =>
        answerFailure(response, { error, logger }),
      );
    }
  };
}

function isCrossOrigin(request: NodeRequest, publicOrigin: string): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return false;
  const host = 'authority' in request ? request.authority : request.headers.host;
  const url = URL.parse(origin);
  return url === null || (url.host !== host?.toLowerCase() && url.origin !== publicOrigin);
}

function answerFailure(response: NodeResponse, { error, logger }: { error: unknown; logger: Logger }): void {
  logger.error('a page failed', {}, error);
  if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
  response.end();
}
