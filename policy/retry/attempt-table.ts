/** What one attempt at one URL produced (design: Outcomes). Exhaustive. */
export type Outcome =
  | 'FETCHED'
  | 'NOT_MODIFIED'
  | 'REDIRECTED'
  | 'HTTP_RETRYABLE'
  | 'ROBOTS_UNREACHABLE'
  | 'DNS_FAILED'
  | 'CONNECT_FAILED'
  | 'TLS_FAILED'
  | 'TIMED_OUT'
  | 'RESET'
  | 'PROTOCOL_ERROR'
  | 'HEADERS_TOO_LARGE'
  | 'WORKER_LOST'
  | 'ROBOTS_DENIED'
  | 'OPTED_OUT'
  | 'TAKEN_DOWN'
  | 'ADDRESS_FORBIDDEN'
  | 'NOT_TRIED';

/** How a request ended; each request has exactly one (D1). */
export type ResultKind =
  | 'PAGE'
  | 'NOT_MODIFIED'
  | 'ANSWERED'
  | 'FAILED'
  | 'ROBOTS_DENIED'
  | 'OPTED_OUT'
  | 'TAKEN_DOWN'
  | 'REDIRECT_LIMIT'
  | 'ADDRESS_FORBIDDEN'
  | 'CANCELLED'
  | 'EXPIRED'
  | 'QUARANTINED'
  | 'POLICY'
  | 'REPROCESSED';

/** What the site's pace learns from an outcome. */
export type HealthEffect = 'good' | 'bad' | 'none';

/** Under which heading an outcome is billed; null: a request that ends so costs nothing. */
export type BillingCategory = 'fetch' | 'revalidation' | null;

/** What follows from an outcome. */
export type OutcomeRule = {
  /**
   * `end`: the request ends with `endsAs`. `retry`: again after a growing delay, until `attemptsMax` are used up, then it
   * ends. `wait`: again when what it waits for has come, without using up an attempt. `redirect`: on to the target.
   */
  readonly retryClass: 'end' | 'retry' | 'wait' | 'redirect';
  /** Attempts in all, this one included; only for `retry`. */
  readonly attemptsMax?: number;
  readonly endsAs: ResultKind;
  readonly health: HealthEffect;
  readonly billing: BillingCategory;
};

/** Attempts at DNS, at a connection that fails or breaks, at an answer in time, at 408/425/5xx but 503. */
export const ATTEMPTS_MAX = 3;

/** Attempts while a server asks for patience (429, 503). */
export const ATTEMPTS_MAX_OVERLOADED = 6;

/** The one table of outcomes: retry class, health effect and billing category of each. */
export const OUTCOME_RULES: Readonly<Record<Outcome, OutcomeRule>> = {
  FETCHED: { retryClass: 'end', endsAs: 'PAGE', health: 'good', billing: 'fetch' },
  NOT_MODIFIED: { retryClass: 'end', endsAs: 'NOT_MODIFIED', health: 'good', billing: 'revalidation' },
  REDIRECTED: { retryClass: 'redirect', endsAs: 'REDIRECT_LIMIT', health: 'good', billing: 'fetch' },
  // The last answer is a page like any other: the tenant sees its status.
  HTTP_RETRYABLE: {
    retryClass: 'retry',
    attemptsMax: ATTEMPTS_MAX,
    endsAs: 'PAGE',
    health: 'bad',
    billing: 'fetch',
  },
  ROBOTS_UNREACHABLE: { retryClass: 'wait', endsAs: 'FAILED', health: 'none', billing: null },
  DNS_FAILED: {
    retryClass: 'retry',
    attemptsMax: ATTEMPTS_MAX,
    endsAs: 'FAILED',
    health: 'none',
    billing: null,
  },
  CONNECT_FAILED: {
    retryClass: 'retry',
    attemptsMax: ATTEMPTS_MAX,
    endsAs: 'FAILED',
    health: 'bad',
    billing: 'fetch',
  },
  TLS_FAILED: {
    retryClass: 'retry',
    attemptsMax: ATTEMPTS_MAX,
    endsAs: 'FAILED',
    health: 'bad',
    billing: 'fetch',
  },
  TIMED_OUT: {
    retryClass: 'retry',
    attemptsMax: ATTEMPTS_MAX,
    endsAs: 'FAILED',
    health: 'bad',
    billing: 'fetch',
  },
  RESET: {
    retryClass: 'retry',
    attemptsMax: ATTEMPTS_MAX,
    endsAs: 'FAILED',
    health: 'bad',
    billing: 'fetch',
  },
  PROTOCOL_ERROR: { retryClass: 'retry', attemptsMax: 1, endsAs: 'FAILED', health: 'none', billing: 'fetch' },
  HEADERS_TOO_LARGE: {
    retryClass: 'retry',
    attemptsMax: 1,
    endsAs: 'FAILED',
    health: 'none',
    billing: 'fetch',
  },
  WORKER_LOST: { retryClass: 'wait', endsAs: 'QUARANTINED', health: 'none', billing: null },
  ROBOTS_DENIED: { retryClass: 'end', endsAs: 'ROBOTS_DENIED', health: 'none', billing: null },
  OPTED_OUT: { retryClass: 'end', endsAs: 'OPTED_OUT', health: 'none', billing: null },
  TAKEN_DOWN: { retryClass: 'end', endsAs: 'TAKEN_DOWN', health: 'none', billing: null },
  ADDRESS_FORBIDDEN: { retryClass: 'end', endsAs: 'ADDRESS_FORBIDDEN', health: 'none', billing: null },
  NOT_TRIED: { retryClass: 'wait', endsAs: 'FAILED', health: 'none', billing: null },
};
