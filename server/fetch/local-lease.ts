/**
 * A lease as its worker holds it: the server's words, the time that is left of it here, and what was taken back since.
 *
 * States: held, then over for good: it expired here (M4), the server called its token stale, or it ended. From then on its
 * socket is destroyed and nothing is reported (D3). Single requests can be revoked before; they are aborted at once.
 */
import { durationMs } from '@bufbuild/protobuf/wkt';
import type { Lease } from '@decorum/proto/decorum/fetch/v1/lease_pb.ts';
import { FetchFailure } from './fetch-failure.ts';
import type { LocalTerm } from './local-term.ts';

/** A lease in use. */
export type LocalLease = {
  readonly lease: Lease;
  readonly term: LocalTerm;
  /** Aborts with a FetchFailure once the lease is over. */
  readonly signal: AbortSignal;
  /** Throws a FetchFailure when the lease is over, be it that its time has just run out. */
  readonly check: () => void;
  /** A signal that aborts with a FetchFailure when the request is revoked, or has been. */
  readonly revocationOf: (requestId: string) => AbortSignal;
  readonly revoke: (requestIds: readonly string[]) => void;
  /** From the end of a request to the start of the next, as the server last said (M1, M6). */
  readonly siteDelayMs: () => number;
  readonly setSiteDelay: (delayMs: number) => void;
  /** What the server said of the token. */
  readonly markStale: () => void;
  /** The lease was given back: stops its timer. */
  readonly end: () => void;
};

/** Takes a lease into use; its time is watched until it is over or ended. */
export function holdLease(lease: Lease, term: LocalTerm): LocalLease {
  const over = new AbortController();
  const revocations = new Map<string, AbortController>();
  let timer: NodeJS.Timeout | undefined;
  let siteDelayMs = lease.siteDelay === undefined ? 0 : durationMs(lease.siteDelay);

  const finish = (reason: string): void => {
    clearTimeout(timer);
    if (!over.signal.aborted) over.abort(new FetchFailure('LEASE_OVER', reason));
  };
  const watch = (): void => {
    const remainingMs = term.remainingMs();
    if (remainingMs > 0) timer = setTimeout(watch, remainingMs);
    else finish('the lease has run out');
  };
  const revocationController = (requestId: string): AbortController => {
    const controller = revocations.get(requestId) ?? new AbortController();
    revocations.set(requestId, controller);
    return controller;
  };

  watch();
  return {
    lease,
    term,
    signal: over.signal,
    check() {
      if (term.remainingMs() <= 0) finish('the lease has run out');
      over.signal.throwIfAborted();
    },
    revocationOf: (requestId) => revocationController(requestId).signal,
    revoke(requestIds) {
      for (const requestId of requestIds) {
        revocationController(requestId).abort(new FetchFailure('REVOKED', 'revoked while it was leased'));
      }
    },
    siteDelayMs: () => siteDelayMs,
    setSiteDelay: (delayMs) => (siteDelayMs = delayMs),
    markStale: () => finish('the lease is stale'),
    end: () => finish('the lease has ended'),
  };
}
