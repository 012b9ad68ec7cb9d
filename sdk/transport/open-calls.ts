import type { StreamRequest, UnaryRequest } from '@connectrpc/connect';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Channel, StatusObject } from '@grpc/grpc-js';
import { connectivityState } from '@grpc/grpc-js';
import { toMetadata } from './header-metadata.ts';
import type { ActiveCall } from './start-call.ts';
import { startCall } from './start-call.ts';
import { toConnectError } from './status-error.ts';

/** The calls of one channel. */
export type CallOpener = {
  /** Starts the call that `request` describes; `deadlineAt` is in wall-clock milliseconds, `Infinity` for none. */
  open(request: UnaryRequest | StreamRequest, deadlineAt: number): ActiveCall;
  /** Cancels what is under way, closes the channel and refuses calls from then on. */
  close(): void;
};

/** What is the same for every call of a channel. */
export type CallOpenerOptions = {
  readonly channel: Channel;
  /** Where the channel connects to, for error texts. */
  readonly names: readonly string[];
  readonly key: string | undefined;
  readonly waitForReady: boolean;
};

/** The part of grpc-js's text that tells people something, as `connect ECONNREFUSED 127.0.0.1:7070`. */
const SYSTEM_ERROR = /\b[a-z]+ E[A-Z]{2,}(?: [\w:[\].-]*\w)?/;

/** Opens calls over `channel`, with the bearer key, and closes them all together. Takes over the channel. */
export function createCallOpener({ channel, names, key, waitForReady }: CallOpenerOptions): CallOpener {
  const active = new Set<ActiveCall>();
  let closed = false;

  const toError = (status: StatusObject, metadata: Headers): ConnectError => {
    const error = toConnectError(status, metadata);
    const isAbsent =
      error.code === Code.DeadlineExceeded || (error.code === Code.Unavailable && error.details.length === 0);
    if (!isAbsent || channel.getConnectivityState(false) === connectivityState.READY) return error;
    const [why] = SYSTEM_ERROR.exec(error.rawMessage) ?? [];
    const text = `no connection to ${names.join(', ')}${why === undefined ? '' : ` (${why})`}`;
    return new ConnectError(text, Code.Unavailable, metadata, undefined, error);
  };

  return {
    open(request, deadlineAt) {
      if (closed) throw closedError();
      const header = new Headers(request.header);
      if (key !== undefined && !header.has('authorization')) header.set('authorization', `Bearer ${key}`);
      const call = startCall({
        channel,
        path: `/${request.service.typeName}/${request.method.name}`,
        deadlineAt,
        metadata: toMetadata(header, { waitForReady }),
        signal: request.signal,
        toError,
        onEnd: () => active.delete(call),
      });
      active.add(call);
      return call;
    },
    close() {
      closed = true;
      for (const call of active) call.cancel(closedError());
      channel.close();
    },
  };
}

function closedError(): ConnectError {
  return new ConnectError('the client was closed', Code.Canceled);
}
