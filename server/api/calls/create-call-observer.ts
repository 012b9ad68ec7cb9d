import { Code, ConnectError, createContextKey, type HandlerContext } from '@connectrpc/connect';
import { codeToString } from '@connectrpc/connect/protocol-connect';
import { ErrorInfoSchema } from '@decorum/proto/google/rpc/error_details_pb.ts';
import type { Meter } from '@opentelemetry/api';

import type { Clock } from '../../runtime/clock.ts';
import type { Logger, LogLevel } from '../../runtime/logger.ts';
import { callerKey } from '../caller.ts';
import { withErrorInfo } from './to-connect-error.ts';

/** Set by the error interceptor once a call has been answered in full. */
export const answeredKey = createContextKey(false, { description: 'answered' });

/** What the observer needs. */
export type CallObserverDeps = {
  readonly meter: Meter;
  readonly logger: Logger;
  readonly clock: Pick<Clock, 'monotonicMs'>;
};

const DURATION_BUCKETS_S = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 600,
];

const LEVEL: Partial<Record<Code, LogLevel>> = {
  [Code.Unauthenticated]: 'info',
  [Code.PermissionDenied]: 'info',
  [Code.Unavailable]: 'warn',
  [Code.DataLoss]: 'error',
  [Code.Internal]: 'error',
  [Code.Unknown]: 'error',
};

/**
 * Answers the function that watches one call from its header to its end: `decorum.rpc.duration` by method and code,
 * `decorum.rpc.in_flight`, and a log line for a failure.
 *
 * Connect aborts a call's signal exactly once, with the error if there is one, and before it writes that error to the
 * wire, in all its protocols. That is the one place that sees what interceptors do not: messages that could not be read,
 * deadlines, peers that left. So an error of the transport gets its `ErrorInfo` here.
 */
export function createCallObserver({ meter, logger, clock }: CallObserverDeps) {
  const duration = meter.createHistogram('decorum.rpc.duration', {
    description: 'From the header of a call to its end',
    unit: 's',
    advice: { explicitBucketBoundaries: DURATION_BUCKETS_S },
  });
  const inFlight = meter.createUpDownCounter('decorum.rpc.in_flight', {
    description: 'Calls that have not ended',
  });

  return (context: HandlerContext): void => {
    const method = `${context.service.typeName}/${context.method.name}`;
    const startedMs = clock.monotonicMs();
    const onEnd = (): void => {
      const { code, error } = endOf(context);
      const ms = clock.monotonicMs() - startedMs;
      inFlight.add(-1, { method });
      duration.record(ms / 1_000, { method, code });
      if (code === 'ok') return;
      const reason =
        error instanceof ConnectError ? error.findDetails(ErrorInfoSchema)[0]?.reason : undefined;
      const keyId = context.values.get(callerKey)?.keyId;
      const level =
        error instanceof ConnectError
          ? (LEVEL[error.code] ?? 'debug')
          : error === undefined
            ? 'debug'
            : 'error';
      const cause = error instanceof ConnectError ? error.cause : error;
      logger[level]('call failed', { method, code, reason, keyId, ms: Math.round(ms) }, cause);
    };
    inFlight.add(1, { method });
    if (context.signal.aborted) onEnd();
    else context.signal.addEventListener('abort', onEnd, { once: true });
  };
}

/** How a call ended. The error is absent when the peer left. */
function endOf({ signal, values }: HandlerContext): { code: string; error?: unknown } {
  const reason: unknown = signal.reason;
  if (reason instanceof ConnectError) {
    const error = withErrorInfo(reason);
    return { code: codeToString(error.code), error };
  }
  if (reason instanceof Error && reason.name !== 'AbortError') {
    return { code: codeToString(Code.Internal), error: reason };
  }
  return { code: values.get(answeredKey) ? 'ok' : codeToString(Code.Canceled) };
}
