import { Outcome } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';

/** Why a fetch brought no complete answer. */
export type FailureKind =
  | 'ADDRESS_FORBIDDEN'
  | 'CONNECT_ERROR'
  | 'CONNECT_TIMEOUT'
  | 'TLS_ERROR'
  | 'FIRST_BYTE_TIMEOUT'
  | 'TOTAL_TIMEOUT'
  | 'TOO_SLOW'
  | 'CONNECTION_LOST'
  | 'MALFORMED_ANSWER'
  | 'HEAD_TOO_LARGE'
  | 'UNEXPECTED'
  | 'REVOKED'
  | 'DRAINED'
  | 'NOT_STORED'
  | 'LEASE_OVER';

/**
 * What is reported for each failure; null: nothing, because the lease that would report it is over (D3). Two choices: an
 * address that does not answer is a connect failure, so that the next address is tried; what we do not understand
 * ourselves uses up an attempt, so that no URL can make workers stumble for ever. DNS_FAILED is missing: workers resolve
 * nothing.
 */
export const OUTCOME_OF_FAILURE: Readonly<Record<FailureKind, Outcome | null>> = {
  ADDRESS_FORBIDDEN: Outcome.ADDRESS_FORBIDDEN,
  CONNECT_ERROR: Outcome.CONNECT_FAILED,
  CONNECT_TIMEOUT: Outcome.CONNECT_FAILED,
  TLS_ERROR: Outcome.TLS_FAILED,
  FIRST_BYTE_TIMEOUT: Outcome.TIMED_OUT,
  TOTAL_TIMEOUT: Outcome.TIMED_OUT,
  TOO_SLOW: Outcome.TIMED_OUT,
  CONNECTION_LOST: Outcome.RESET,
  MALFORMED_ANSWER: Outcome.PROTOCOL_ERROR,
  HEAD_TOO_LARGE: Outcome.HEADERS_TOO_LARGE,
  UNEXPECTED: Outcome.PROTOCOL_ERROR,
  REVOKED: Outcome.NOT_TRIED,
  DRAINED: Outcome.NOT_TRIED,
  NOT_STORED: Outcome.NOT_TRIED,
  LEASE_OVER: null,
};

/** A failed fetch on its way through code that only carries errors. `message` is what a person should know. */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/**
 * Classifies what the HTTP client says of a connection that was open. The texts of system errors are left out: some name
 * addresses of ours.
 */
export function toFetchFailure(error: unknown): FetchFailure {
  if (error instanceof FetchFailure) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  // Data after the answer, or a change of protocol that nobody asked for.
  if (code === 'UND_ERR_SOCKET' && message.startsWith('bad ')) {
    return new FetchFailure('MALFORMED_ANSWER', `not an answer to our request: ${message}`, error);
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new FetchFailure('HEAD_TOO_LARGE', 'too many header bytes', error);
  // The parser's errors carry no code. One kind of them is an answer whose end did not come before the connection's.
  const isParserError = error instanceof Error && error.name === 'HTTPParserError';
  if (LOST.has(code) || (isParserError && message.includes('EOF'))) {
    return new FetchFailure(
      'CONNECTION_LOST',
      `the connection was lost${code === '' ? '' : ` (${code})`}`,
      error,
    );
  }
  if (isParserError) return new FetchFailure('MALFORMED_ANSWER', message, error);
  return new FetchFailure('UNEXPECTED', `an unexpected error (${code || 'without a code'})`, error);
}

/** An error's `code`, or nothing. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

const LOST: ReadonlySet<string> = new Set([
  'UND_ERR_SOCKET',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);
