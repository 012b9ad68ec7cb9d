/**
 * The one connection that a lease has to its site: opened when a request needs it, kept between requests, gone at the end
 * of the lease.
 *
 * An exchange runs: handed to the HTTP client, which dials if it must (`pinned-connector.ts`); the lease checked once more;
 * written; head; body into the spool; end. Whatever cuts it short (a limit, a revocation, the lease's end, a spool that
 * fails) destroys the socket. An exchange is over when its last byte was read or the socket's `close` was seen, never
 * before, so that its end is no earlier here than at the site (M1).
 */
import { Client } from 'undici';
import { ExchangeRun, type ExchangeDeps } from './exchange-run.ts';
import type { Answer, CutBody, Exchange, ExchangeRequest } from './exchange.ts';
import { FetchFailure, toFetchFailure, type FailureKind } from './fetch-failure.ts';
import { isCloseDelimited } from './fields.ts';
import { createPinnedConnector, type PinnedTarget } from './pinned-connector.ts';
import { formatRequestHead } from './request-head.ts';

/** A lease's way to its site. Disposing of it closes it. */
export type SiteConnection = AsyncDisposable & {
  /** Runs one exchange to its end; a failed one is an answer too. The next call awaits this one. */
  readonly exchange: (request: ExchangeRequest) => Promise<Exchange>;
  /** Resolves once no socket is open any more: its `close` was seen (M1). Idempotent. */
  readonly close: () => Promise<void>;
};

/**
 * A body that was cut is kept when its head had come whole. At the total time, as at the longest length, the answer counts
 * as it is, marked: asking again would cost the site as much again.
 */
const CUT_BY: Partial<Record<FailureKind, CutBody>> = {
  TOTAL_TIMEOUT: 'time',
  TOO_SLOW: 'time',
  CONNECTION_LOST: 'disconnect',
};

/** Makes a connection that is not open yet. */
export function createSiteConnection(
  target: PinnedTarget,
  deps: Pick<ExchangeDeps, 'clock' | 'limits'>,
): SiteConnection {
  const connector = createPinnedConnector(target);
  const exchangeDeps = { ...deps, connector, checkLease: target.checkLease };
  const origin = new URL(`${target.scheme}://${target.host}:${target.port}`);
  const client = new Client(origin, {
    connect: connector.connect,
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: deps.limits.headerBytes,
    // Our own timers bound an exchange; the client's are coarser.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: deps.limits.keepAliveMs,
    keepAliveMaxTimeout: deps.limits.keepAliveMs,
  });
  const close = async (): Promise<void> => {
    connector.abort(new FetchFailure('LEASE_OVER', 'the lease has ended'));
    await client.destroy();
    await connector.closed();
  };

  return {
    async exchange(request) {
      const askedAt = { ms: deps.clock.monotonicMs(), wallMs: deps.clock.wallMs() };
      const dialsBefore = connector.dials;
      const run = new ExchangeRun(exchangeDeps, request);
      const onAbort = (): void => run.abort(toFetchFailure(request.signal.reason));
      request.signal.addEventListener('abort', onAbort, { once: true });
      try {
        if (connector.current?.socket.destroyed === true) await connector.closed();
        request.signal.throwIfAborted();
        client.dispatch({ method: 'GET', path: request.path, headers: toList(request) }, run);
        await run.ended;
        if (connector.current?.socket.destroyed === true && run.lastByteAtMs === null)
          await connector.closed();
      } catch (error) {
        run.failure ??= toFetchFailure(error);
      } finally {
        request.signal.removeEventListener('abort', onAbort);
      }
      const endedAtMs = run.lastByteAtMs ?? deps.clock.monotonicMs();
      const touchedSite = run.written !== null || connector.dials > dialsBefore;
      return describe(run, request, { askedAt, endedAtMs, host: origin.host, touchedSite });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What is known of an exchange beside its run. */
type Frame = {
  readonly askedAt: { readonly ms: number; readonly wallMs: number };
  readonly endedAtMs: number;
  readonly host: string;
  readonly touchedSite: boolean;
};

async function describe(run: ExchangeRun, request: ExchangeRequest, frame: Frame): Promise<Exchange> {
  const { written, headAtMs } = run;
  const answer = await readAnswer(run);
  const { received, sent } = run.transferred();
  const writtenAtMs = written?.atMs ?? frame.askedAt.ms;
  return {
    requestHead: written === null ? null : formatRequestHead({ host: frame.host, ...request }),
    writtenAtWallMs: written?.atWallMs ?? frame.askedAt.wallMs,
    startedAtMs: run.firstByteAtMs ?? writtenAtMs,
    endedAtMs: frame.endedAtMs,
    responseTimeMs: headAtMs === null ? null : headAtMs - writtenAtMs,
    totalTimeMs: frame.endedAtMs - writtenAtMs,
    touchedSite: frame.touchedSite,
    bytesReceived: received,
    bytesSent: sent,
    isReused: written?.isReused ?? false,
    isAnswered: run.firstByteAtMs !== null,
    answer,
    failure: answer !== null && run.failure?.kind === 'TOTAL_TIMEOUT' ? null : run.failure,
  };
}

/** The answer, if its head came whole and what ended it leaves a body that is worth keeping. */
async function readAnswer(run: ExchangeRun): Promise<Answer | null> {
  // Also for a body that nobody wants: no write may be running when its spool is disposed of.
  const body = await run.sink.finish().catch((error: unknown) => toFetchFailure(error));
  if (body instanceof FetchFailure) run.failure ??= body;
  const { head, statusCode, fields, failure } = run;
  const truncation = failure === null ? (run.isCutByLength ? 'length' : null) : CUT_BY[failure.kind];
  if (body instanceof FetchFailure || head === null || statusCode === 0 || truncation === undefined)
    return null;
  return {
    head,
    statusCode,
    fields,
    body,
    truncation,
    isCloseDelimited: isCloseDelimited(statusCode, fields),
  };
}

function toList({ fields }: ExchangeRequest): string[] {
  return fields.flatMap(([name, value]) => [name, value]);
}
