import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { errorToJson } from '@connectrpc/connect/protocol-connect';
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc';
import { ErrorInfoSchema } from '@decorum/proto/google/rpc/error_details_pb.ts';

import type { NodeRequest, NodeResponse } from './create-rpc-server.ts';
import { ERROR_DOMAIN } from './to-connect-error.ts';

/** Answers a call of a method that does not exist, in the caller's protocol: gRPC's trailers-only form, else JSON. */
export function answerUnknownMethod(request: NodeRequest, response: NodeResponse): void {
  const info = create(ErrorInfoSchema, { reason: 'UNKNOWN_METHOD', domain: ERROR_DOMAIN });
  const error = new ConnectError(
    'no such method; the path is /<package>.<Service>/<Method>',
    Code.Unimplemented,
    undefined,
    [{ desc: ErrorInfoSchema, value: info }],
  );
  const contentType = request.headers['content-type'] ?? '';
  if (contentType.startsWith('application/grpc')) {
    const trailers = setTrailerStatus(new Headers({ 'content-type': contentType }), error);
    response.writeHead(200, Object.fromEntries(trailers));
    response.end();
    return;
  }
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(errorToJson(error, undefined)));
}
