import { JetStreamApiError, JetStreamError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { DomainError } from '../runtime/domain-error.ts';

const UNAVAILABLE_STATUS = 503;
const NO_ROOM_CODES = new Set([10047, 10077]);

/** What it means for our callers that the broker did not do what it was asked: `unavailable`, or the error as it is. */
export function toBrokerError(error: unknown): unknown {
  return isBrokerTrouble(error) ? toUnavailable(error) : error;
}

/** The typed error for a broker that is out of reach. */
export function toUnavailable(cause: unknown): DomainError {
  return new DomainError({
    kind: 'unavailable',
    reason: 'RESULTS_UNAVAILABLE',
    message: 'the message broker cannot be reached; results wait in the store and are delivered later',
    retryAfterMs: 1_000,
    cause,
  });
}

function isBrokerTrouble(error: unknown): boolean {
  if (error instanceof JetStreamApiError) {
    return error.status === UNAVAILABLE_STATUS || NO_ROOM_CODES.has(error.code);
  }
  return (
    error instanceof errors.ConnectionError ||
    error instanceof errors.ClosedConnectionError ||
    error instanceof errors.DrainingConnectionError ||
    error instanceof errors.AuthorizationError ||
    error instanceof errors.TimeoutError ||
    error instanceof errors.RequestError ||
    error instanceof errors.NoRespondersError ||
    error instanceof JetStreamError ||
    // Nobody answers where JetStream should; the library does not export the class.
    (error instanceof Error && error.name === 'JetStreamNotEnabled')
  );
}
