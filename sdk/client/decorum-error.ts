import { durationMs } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { codeToString } from '@connectrpc/connect/protocol-connect';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from '@decorum/proto/google/rpc/error_details_pb.ts';

/** A gRPC code in snake case, as `not_found`. */
export type DecorumErrorCode =
  | 'canceled'
  | 'unknown'
  | 'invalid_argument'
  | 'deadline_exceeded'
  | 'not_found'
  | 'already_exists'
  | 'permission_denied'
  | 'resource_exhausted'
  | 'failed_precondition'
  | 'aborted'
  | 'out_of_range'
  | 'unimplemented'
  | 'internal'
  | 'unavailable'
  | 'data_loss'
  | 'unauthenticated';

/** The parts of a `DecorumError`. */
export type DecorumErrorInit = {
  readonly code: DecorumErrorCode;
  readonly reason: string;
  readonly message: string;
  readonly field?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
};

/** What the SDK throws: what went wrong, and in its message what to do about it. */
export class DecorumError extends Error {
  override readonly name = 'DecorumError';
  /** Broad; what kind of trouble it is. */
  readonly code: DecorumErrorCode;
  /** Exact, UPPER_SNAKE and stable: what programs branch on. `UNREACHABLE` when no server answered. */
  readonly reason: string;
  /** The first field of the request that is to blame, in the proto's spelling, as `requests[3].url`. */
  readonly field: string | undefined;
  /** When trying again makes sense. */
  readonly retryAfterMs: number | undefined;
  readonly metadata: Readonly<Record<string, string>>;

  constructor({ code, reason, message, field, retryAfterMs, metadata, cause }: DecorumErrorInit) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.reason = reason;
    this.field = field;
    this.retryAfterMs = retryAfterMs;
    this.metadata = metadata ?? {};
  }
}

const PASSING: ReadonlySet<DecorumErrorCode> = new Set([
  'unavailable',
  'deadline_exceeded',
  'aborted',
  'unknown',
  'internal',
]);

/** Whether repeating the call can't help: something must be changed first. */
export function isLasting({ code, retryAfterMs }: DecorumError): boolean {
  return retryAfterMs === undefined && !PASSING.has(code);
}

/** Anything that was thrown under the SDK as a `DecorumError`; the original is its cause. */
export function toDecorumError(thrown: unknown): DecorumError {
  if (thrown instanceof DecorumError) return thrown;
  const error = ConnectError.from(thrown);
  const info = error.findDetails(ErrorInfoSchema)[0];
  const retryDelay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  const unreachable = info === undefined && error.code === Code.Unavailable;
  return new DecorumError({
    code: toErrorCode(error.code),
    reason: info?.reason ?? (unreachable ? 'UNREACHABLE' : codeToString(error.code).toUpperCase()),
    // The server's texts say what to do; those that are made on this side do not.
    message: info === undefined ? addRemedy(error) : error.rawMessage,
    field: error.findDetails(BadRequestSchema)[0]?.fieldViolations[0]?.field,
    retryAfterMs: retryDelay === undefined ? undefined : durationMs(retryDelay),
    metadata: info?.metadata ?? {},
    cause: thrown,
  });
}

function toErrorCode(code: Code): DecorumErrorCode {
  // Connect's strings are this union; its type is only `string`.
  return codeToString(code) as DecorumErrorCode;
}

const REMEDIES: Partial<Record<Code, string>> = {
  [Code.Unavailable]: 'Check that the platform runs (npm start) and that DECORUM_URL names its gRPC address.',
  [Code.DeadlineExceeded]: 'Try again, or give the call more time.',
  [Code.ResourceExhausted]: 'Send or ask for less at a time.',
  [Code.Unauthenticated]: 'Set DECORUM_KEY to a key that an operator made (npx decorum key create).',
  [Code.PermissionDenied]: 'Use a key whose role may do this.',
  [Code.Unimplemented]:
    'This server does not offer it: DECORUM_URL may name another service, or an older release.',
  [Code.Unknown]: 'Is this the gRPC address of a Decorum API?',
  [Code.Internal]: 'Report it with the time at which it happened.',
};

function addRemedy({ code, rawMessage }: ConnectError): string {
  const remedy = REMEDIES[code];
  if (remedy === undefined) return rawMessage;
  return `${rawMessage.replace(/[.\s]+$/, '')}. ${remedy}`;
}
