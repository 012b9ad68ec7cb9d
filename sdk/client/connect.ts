import { ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import { CrawlService } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import { ResultService } from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import type { Client } from '@connectrpc/connect';
import { loadSdkConfig } from '../config/load-sdk-config.ts';
import type { DeliveredResult, ResultsOptions } from '../results/consume-results.ts';
import { consumeResults } from '../results/consume-results.ts';
import type { ResultAnswer } from '../results/get-results.ts';
import { getResults } from '../results/get-results.ts';
import type { ResultSelection } from '../results/read-items.ts';
import type { TlsOptions } from '../transport/create-channel.ts';
import type { GrpcTransport } from '../transport/grpc-transport.ts';
import { createGrpcTransport } from '../transport/grpc-transport.ts';
import { createApiClient } from './api-client.ts';
import type { Body, BodyOptions } from './body.ts';
import { openBody } from './body.ts';
import { DecorumError } from './decorum-error.ts';
import type { FetchInput } from './fetch-input.ts';
import type { SubmitOptions, SubmitOutcome } from './submit-requests.ts';
import { submitRequests } from './submit-requests.ts';

/** How to reach the platform. */
export type ConnectOptions = {
  /** One or several addresses, separated by commas. Default `DECORUM_URL`, else `http://127.0.0.1:7070`. */
  readonly url?: string | undefined;
  /** The tenant's key. Default `DECORUM_KEY`. */
  readonly key?: string | undefined;
  /** Give up within about a second when nothing answers. By default calls wait for the platform, 30 s each. */
  readonly failFast?: boolean | undefined;
  readonly tls?: TlsOptions | undefined;
};

/** A tenant's view of the platform. Everything throws `DecorumError`. Dispose of it (`await using`) to close its connections. */
export type Decorum = AsyncDisposable & {
  /**
   * Submits URLs and yields what became of each, in order. Lazy: it sends as its outcomes are taken, up to 1,000 a call,
   * and reads its source no further ahead.
   */
  submit(
    requests: Iterable<FetchInput | string> | AsyncIterable<FetchInput | string>,
    options?: SubmitOptions,
  ): AsyncGenerator<SubmitOutcome, void, undefined>;
  /** Yields results as they are published; `result.ack()` each. */
  results(options?: ResultsOptions): AsyncGenerator<DeliveredResult, void, undefined>;
  /** Looks results up, by request ids or by numbers of a lane; one answer each, in order. */
  getResults(
    selection: ResultSelection,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ResultAnswer[]>;
  /** The stored body of a capture. */
  body(captureId: string, options?: BodyOptions): Body;
  /** The API itself, for what has no shorter way here. */
  readonly api: {
    readonly crawl: Client<typeof CrawlService>;
    readonly content: Client<typeof ContentService>;
    readonly results: Client<typeof ResultService>;
  };
};

/** Connects to the platform; the connection is made with the first call. Throws `INVALID_URL` on a bad address. */
export function connect(options: ConnectOptions = {}): Decorum {
  const config = loadSdkConfig();
  const transport = openTransport({
    ...options,
    url: options.url ?? config.url,
    key: options.key ?? config.key,
  });
  const closing = new AbortController();
  const api = {
    crawl: createApiClient(CrawlService, transport),
    content: createApiClient(ContentService, transport),
    results: createApiClient(ResultService, transport),
  };
  const running = new Set<Promise<void>>();
  return {
    api,
    submit: (requests, submitOptions) =>
      submitRequests(api.crawl, requests, { failFast: options.failFast, ...submitOptions }),
    results: (resultsOptions = {}) => {
      const signal =
        resultsOptions.signal === undefined
          ? closing.signal
          : AbortSignal.any([closing.signal, resultsOptions.signal]);
      return consumeResults({ ...api, running }, { ...resultsOptions, signal });
    },
    getResults: (selection, { signal } = {}) => getResults(api.results, selection, signal),
    body: (captureId, bodyOptions) => openBody(api.content, captureId, bodyOptions),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await Promise.allSettled(running);
      await transport[Symbol.asyncDispose]();
    },
  };
}

/** A transport for a client or a command. The caller disposes of it. Throws `INVALID_URL` on a bad address. */
export function openTransport(options: ConnectOptions & { readonly url: string }): GrpcTransport {
  const { url, key, failFast, tls } = options;
  try {
    return createGrpcTransport({
      url,
      ...(key !== undefined && { key }),
      ...(failFast !== undefined && { failFast }),
      ...(tls !== undefined && { tls }),
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const message = `${error.message}. Set DECORUM_URL, or give connect() another url.`;
    throw new DecorumError({
      code: 'invalid_argument',
      reason: 'INVALID_URL',
      message,
      field: 'url',
      cause: error,
    });
  }
}
