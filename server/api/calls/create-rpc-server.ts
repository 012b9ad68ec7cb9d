import {
  createConnectRouter,
  createContextValues,
  type ConnectRouter,
  type ConnectRouterOptions,
} from '@connectrpc/connect';
import {
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from '@connectrpc/connect-node';
import type { UniversalHandler } from '@connectrpc/connect/protocol';
import type { IncomingMessage } from 'node:http';
import { constants, type Http2ServerRequest } from 'node:http2';

import type { Logger } from '../../runtime/logger.ts';
import type { ApiLimits } from '../limits.ts';
import { boundDeadline } from './bound-deadline.ts';

/** A request of node:http or node:http2. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** A response of node:http or node:http2. */
export type NodeResponse = Parameters<typeof universalResponseToNodeResponse>[1];

/** Serves a request whose path is an RPC's; answers false, and leaves it alone, when it is not. */
export type ServeRpc = (request: NodeRequest, response: NodeResponse) => boolean;

/** What an RPC server needs. */
export type RpcServerDeps = Required<
  Pick<ConnectRouterOptions, 'requestGate' | 'interceptors' | 'shutdownSignal'>
> & {
  readonly routes: (router: ConnectRouter) => void;
  readonly limits: ApiLimits;
  readonly logger: Logger;
};

/**
 * gRPC, gRPC-Web and Connect over one set of handlers. Each call has a deadline, and a timer a little later that cuts
 * its stream off, whatever it is stuck in: a body that trickles in, a handler, or a peer that does not read.
 */
export function createRpcServer({ routes, limits, logger, ...options }: RpcServerDeps): ServeRpc {
  const router = createConnectRouter({
    ...options,
    acceptCompression: [compressionGzip],
    readMaxBytes: limits.messageBytesMax,
    writeMaxBytes: limits.messageBytesMax,
  });
  routes(router);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));

  return (request, response) => {
    const handler = handlers.get(request.url?.split('?', 1)[0] ?? '');
    if (handler === undefined) return false;
    serve(handler, { request, response, limits }).catch((error: unknown) => {
      // The call's own error is logged where it ends; this is about an answer that a peer did not take.
      logger.debug('an answer could not be written', { method: handler.method.name }, error);
      cutOff(response);
    });
    return true;
  };
}

type Exchange = {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly limits: ApiLimits;
};

async function serve(handler: UniversalHandler, { request, response, limits }: Exchange): Promise<void> {
  const call = universalRequestFromNodeRequest(request, response, undefined, createContextValues());
  const deadlineMs = boundDeadline(call.header, handler.method, limits);
  if (deadlineMs !== undefined) {
    const timer = setTimeout(() => cutOff(response), deadlineMs + limits.overrunMs);
    response.once('close', () => clearTimeout(timer));
  }
  // grpc-js offers gzip unasked; on 20 KB messages it costs four fifths of the throughput.
  call.header.delete('grpc-accept-encoding');
  await universalResponseToNodeResponse(await handler(call), response);
}

function cutOff(response: NodeResponse): void {
  if ('stream' in response) response.stream.close(constants.NGHTTP2_CANCEL);
  else response.destroy();
}
