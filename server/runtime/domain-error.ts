/**
 * What a caller can do about an error, one word each. The API's code for each is in `api/error-table.ts`.
 *
 * `conflict`: lost a race, the whole step may be tried again. `failed_precondition`: it will fail again until something
 * else changes. `quota`: a limit of the caller's own. `unavailable`: something we depend on is down or full.
 */
export type DomainErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'already_exists'
  | 'conflict'
  | 'failed_precondition'
  | 'quota'
  | 'unavailable'
  | 'deadline'
  | 'cancelled'
  | 'data_loss'
  | 'not_built';

/** What is wrong with one field of a request. */
export type FieldViolation = {
  /** The field's path in the proto's spelling, as `requests[3].url`. */
  readonly field: string;
  readonly description: string;
  /** The rule that was broken, in UPPER_SNAKE. */
  readonly reason?: string;
};

/** The parts of a `DomainError`. */
export type DomainErrorInit = {
  readonly kind: DomainErrorKind;
  /** UPPER_SNAKE and stable: programs branch on it. */
  readonly reason: string;
  /** For a person: what was wrong and what to do about it. Never holds a secret or another tenant's data. */
  readonly message: string;
  /** The one field that is to blame; `violations` where there are several. */
  readonly field?: string;
  readonly violations?: readonly FieldViolation[];
  /** When trying again makes sense. */
  readonly retryAfterMs?: number;
  /** Data that a program needs. For `quota`: `subject`, `quota` and `limit` name what ran out. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Logged where it matters, never sent. */
  readonly cause?: unknown;
};

/** An error that a caller branches on. Everything else that is thrown is a bug or a broken machine. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly kind: DomainErrorKind;
  readonly reason: string;
  readonly violations: readonly FieldViolation[];
  readonly retryAfterMs: number | undefined;
  readonly metadata: Readonly<Record<string, string>>;

  constructor(init: DomainErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.kind = init.kind;
    this.reason = init.reason;
    this.violations =
      init.violations ?? (init.field === undefined ? [] : [{ field: init.field, description: init.message }]);
    this.retryAfterMs = init.retryAfterMs;
    this.metadata = init.metadata ?? {};
  }

  /** The first field to blame. */
  get field(): string | undefined {
    return this.violations[0]?.field;
  }
}
