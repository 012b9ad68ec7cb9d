// A Connect `Transport` over a grpc-js channel.
//
// connect-node's own HTTP/2 client dies on GOAWAY (connect-es issue 1768) and knows one address; a grpc-js channel
// balances over several, retries what is safe to retry and reconnects. Everything above speaks Connect: typed clients,
// `ConnectError` with details, headers and trailers.
import type { DescMethod } from '@bufbuild/protobuf';
import { toBinary } from '@bufbuild/protobuf';
import type { ContextValues, Interceptor, Transport } from '@connectrpc/connect';
import { createContextValues } from '@connectrpc/connect';
import { createMethodUrl, runStreamingCall, runUnaryCall } from '@connectrpc/connect/protocol';
import type { TlsOptions } from './create-channel.ts';
import { createChannel } from './create-channel.ts';
import { createCallOpener } from './open-calls.ts';
import { formatAddress, parseAddresses } from './parse-addresses.ts';
import { ATTEMPTS_MAX_FAIL_FAST, retrySafely } from './retry-safely.ts';
import { readAll, readOne, sendAll } from './transfer-messages.ts';

/** The default deadline of a unary call, all of its retries included. */
export const UNARY_TIMEOUT_MS = 30_000;
/** The default deadline of a streaming call: 64 MiB at 2 Mbit/s. */
export const STREAM_TIMEOUT_MS = 300_000;

/** What a transport is made from. */
export type GrpcTransportOptions = {
  /** `http://` (h2c) or `https://` addresses of the API, separated by commas. */
  readonly url: string;
  /** Sent as `authorization: Bearer …` with every call. */
  readonly key?: string;
  /**
   * While nothing is connected, calls fail with UNAVAILABLE within about two seconds. By default they wait for a
   * connection until their deadline, and safe ones are tried again until then, which rides over a restart.
   */
  readonly failFast?: boolean;
  readonly tls?: TlsOptions;
  /** The first word of the User-Agent. Default `decorum-sdk`. */
  readonly userAgent?: string;
  readonly interceptors?: Interceptor[];
};

/** A Connect transport that owns its connections. */
export type GrpcTransport = Transport & AsyncDisposable;

/**
 * Creates a transport; connections are made with the first call.
 *
 * A call's `timeoutMs` is turned into an absolute deadline that holds over retries; the defaults are
 * `UNARY_TIMEOUT_MS` and `STREAM_TIMEOUT_MS`, and 0 means none. A deadline that passes without any connection is
 * UNAVAILABLE, not DEADLINE_EXCEEDED. Disposing cancels what is under way. Throws a `TypeError` on a bad URL.
 */
export function createGrpcTransport(options: GrpcTransportOptions): GrpcTransport {
  const list = parseAddresses(options.url);
  const names = list.addresses.map(formatAddress);
  const calls = createCallOpener({
    channel: createChannel(list, options.tls ?? {}, options.userAgent ?? 'decorum-sdk'),
    names,
    key: options.key,
    waitForReady: options.failFast !== true,
  });
  const baseUrl = `${list.secure ? 'https' : 'http'}://${names[0] ?? ''}`;
  const interceptors = options.interceptors ?? [];
  const attemptsMax = options.failFast === true ? ATTEMPTS_MAX_FAIL_FAST : Number.POSITIVE_INFINITY;

  return {
    unary: async (method, signal, timeoutMs, header: HeadersInput, message, contextValues) => {
      const deadlineAt = toDeadline(timeoutMs ?? UNARY_TIMEOUT_MS);
      return runUnaryCall({
        interceptors,
        ...(signal !== undefined && { signal }),
        req: { ...describe(baseUrl, method, header, contextValues), stream: false, method, message },
        next: async (request) => {
          const bytes = toBinary(method.input, request.message);
          const limits = { attemptsMax, deadlineAt, signal: request.signal };
          const { header, trailer, answer } = await retrySafely(method, limits, async () => {
            const call = calls.open(request, deadlineAt);
            void call.send(bytes);
            call.finishSending();
            return { header: call.header, trailer: call.trailer, answer: await readOne(call, method.output) };
          });
          return { stream: false, service: method.parent, method, header, trailer, message: answer };
        },
      });
    },
    stream: async (method, signal, timeoutMs, header: HeadersInput, input, contextValues) => {
      const deadlineAt = toDeadline(timeoutMs ?? STREAM_TIMEOUT_MS);
      return runStreamingCall({
        interceptors,
        ...(signal !== undefined && { signal }),
        req: { ...describe(baseUrl, method, header, contextValues), stream: true, method, message: input },
        next: async (request) => {
          const call = calls.open(request, deadlineAt);
          void sendAll(call, request.message, method.input);
          await call.respond();
          const { header, trailer } = call;
          const message = readAll(call, method.output);
          return { stream: true, service: method.parent, method, header, trailer, message };
        },
      });
    },
    [Symbol.asyncDispose]: async () => calls.close(),
  };
}

function toDeadline(timeoutMs: number): number {
  return timeoutMs <= 0 ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
}

type HeadersInput = ConstructorParameters<typeof Headers>[0];

function describe(
  baseUrl: string,
  method: DescMethod,
  header: HeadersInput,
  contextValues: ContextValues | undefined,
) {
  return {
    service: method.parent,
    requestMethod: 'POST',
    url: createMethodUrl(baseUrl, method),
    header: new Headers(header),
    contextValues: contextValues ?? createContextValues(),
  };
}
