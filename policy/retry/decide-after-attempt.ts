import { ATTEMPTS_MAX_OVERLOADED, OUTCOME_RULES, type Outcome, type ResultKind } from './attempt-table.ts';

/** The wait before the second attempt; it doubles with each one after. */
export const RETRY_DELAY_MS = 30_000;

/** No wait between two attempts is longer. */
export const RETRY_DELAY_MS_MAX = 3_600_000;

/** Hops of a redirect chain; the eleventh ends the request. */
export const REDIRECT_HOPS_MAX = 10;

/** What an attempt at a request came to. */
export type AttemptFacts = {
  readonly outcome: Outcome;
  /** Attempts used up before this one. */
  readonly attempts: number;
  /** 0 when no status line came. */
  readonly statusCode: number;
  /** Hops before this one. */
  readonly hop: number;
  /** Canonical; only with REDIRECTED. */
  readonly redirectUrl?: string | undefined;
  /** The URLs of the chain so far, the one just fetched included. */
  readonly chain: readonly string[];
  /** 0 to 1; spreads the retries of requests that failed together. */
  readonly jitter: number;
};

/** What becomes of the request. */
export type AttemptDecision =
  | { readonly kind: 'end'; readonly resultKind: ResultKind; readonly detail: string }
  | { readonly kind: 'retry'; readonly delayMs: number; readonly usesAttempt: boolean }
  | { readonly kind: 'redirect'; readonly url: string };

/**
 * Decides what follows for a request from one attempt at it. A redirect ends as REDIRECT_LIMIT after ten hops or at a URL
 * that the chain has met; one without a usable target ends as the page it is.
 */
export function decideAfterAttempt(facts: AttemptFacts): AttemptDecision {
  const rule = OUTCOME_RULES[facts.outcome];
  switch (rule.retryClass) {
    case 'end':
      return { kind: 'end', resultKind: rule.endsAs, detail: '' };
    case 'wait':
      return { kind: 'retry', delayMs: 0, usesAttempt: false };
    case 'redirect':
      return decideRedirect(facts);
    case 'retry': {
      const used = facts.attempts + 1;
      if (used >= attemptsMax(facts)) {
        return { kind: 'end', resultKind: rule.endsAs, detail: `after ${used} attempts` };
      }
      return { kind: 'retry', delayMs: retryDelayMs(used, facts.jitter), usesAttempt: true };
    }
  }
}

function attemptsMax({ outcome, statusCode }: AttemptFacts): number {
  const isOverloaded = outcome === 'HTTP_RETRYABLE' && (statusCode === 429 || statusCode === 503);
  return isOverloaded ? ATTEMPTS_MAX_OVERLOADED : (OUTCOME_RULES[outcome].attemptsMax ?? 1);
}

function retryDelayMs(used: number, jitter: number): number {
  const delayMs = Math.min(RETRY_DELAY_MS * 2 ** (used - 1), RETRY_DELAY_MS_MAX);
  return Math.round(delayMs * (1 + jitter / 4));
}

function decideRedirect({ redirectUrl, hop, chain }: AttemptFacts): AttemptDecision {
  if (redirectUrl === undefined || redirectUrl === '') {
    return { kind: 'end', resultKind: 'PAGE', detail: 'the redirect has no target that can be fetched' };
  }
  if (hop >= REDIRECT_HOPS_MAX) {
    return { kind: 'end', resultKind: 'REDIRECT_LIMIT', detail: `over ${REDIRECT_HOPS_MAX} redirects` };
  }
  if (chain.includes(redirectUrl)) {
    return { kind: 'end', resultKind: 'REDIRECT_LIMIT', detail: 'the redirects form a loop' };
  }
  return { kind: 'redirect', url: redirectUrl };
}
