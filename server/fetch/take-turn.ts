import { createSpool, type Spool } from '../archive/spool.ts';
import type { Exchange } from './exchange.ts';
import { FetchFailure } from './fetch-failure.ts';
import type { LeaseRun } from './lease-run.ts';
import type { RequestFields } from './request-head.ts';

/** A request to be made when its turn comes. */
export type PacedRequest = {
  readonly path: string;
  readonly fields: RequestFields;
  readonly bodyBytesMax: number;
  /** Aborts when the request is revoked. */
  readonly revocation: AbortSignal;
};

/**
 * Waits for the lease's next turn, runs the request, and hands the exchange to `use`, for whose time its body can be read.
 * A reset before any byte of an answer on a connection that had served before is no word of the site about this request
 * (RFC 9110 §9.2.2): it is repeated once, on a new connection, at the next turn. Rejects with a FetchFailure when the turn
 * never came.
 */
export async function takeTurn<T>(
  run: LeaseRun,
  request: PacedRequest,
  use: (exchange: Exchange) => Promise<T>,
): Promise<T> {
  for (let isRepeated = false; ; isRepeated = true) {
    await waitForTurn(run, request);
    await using spool = createRequestSpool(run, request);
    const exchange = await exchangeOnce(run, request, spool);
    if (isRepeated || !wasClosedWhileIdle(exchange)) return await use(exchange);
  }
}

/** A worker that ends starts nothing more, but lets run what runs. */
async function waitForTurn({ deps, lease, pacer }: LeaseRun, { revocation }: PacedRequest): Promise<void> {
  const signal = AbortSignal.any([lease.signal, revocation, deps.draining]);
  try {
    await pacer.waitForTurn(signal);
    lease.check();
  } catch (error) {
    if (error instanceof FetchFailure || !deps.draining.aborted) throw error;
    throw new FetchFailure('DRAINED', 'the worker ends', error);
  }
}

function createRequestSpool({ deps, lease }: LeaseRun, { bodyBytesMax, revocation }: PacedRequest): Spool {
  const signal = AbortSignal.any([lease.signal, revocation, deps.drained]);
  return createSpool({ ...deps.spool, bodyBytesMax, signal });
}

async function exchangeOnce(run: LeaseRun, request: PacedRequest, spool: Spool): Promise<Exchange> {
  const { deps, lease, pacer, connection } = run;
  const signal = AbortSignal.any([lease.signal, request.revocation, deps.drained]);
  const exchange = await connection.exchange({ ...request, spool, signal });
  if (exchange.touchedSite) pacer.note(exchange);
  return exchange;
}

function wasClosedWhileIdle({ failure, isReused, isAnswered }: Exchange): boolean {
  return failure?.kind === 'CONNECTION_LOST' && isReused && !isAnswered;
}
