import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OUTCOME_RULES, type Outcome } from './attempt-table.ts';
import {
  decideAfterAttempt,
  REDIRECT_HOPS_MAX,
  RETRY_DELAY_MS,
  RETRY_DELAY_MS_MAX,
  type AttemptFacts,
} from './decide-after-attempt.ts';

const facts = (over: Partial<AttemptFacts>): AttemptFacts => ({
  outcome: 'FETCHED',
  attempts: 0,
  statusCode: 200,
  hop: 0,
  chain: ['https://a.example/'],
  jitter: 0,
  ...over,
});

test('an outcome that ends a request names the result kind of the table', () => {
  for (const [outcome, rule] of Object.entries(OUTCOME_RULES)) {
    if (rule.retryClass !== 'end') continue;
    const decision = decideAfterAttempt(facts({ outcome: outcome as Outcome }));
    assert.deepEqual(decision, { kind: 'end', resultKind: rule.endsAs, detail: '' });
  }
});

test('every outcome that is retried ends after its attempts are used up', () => {
  for (const [outcome, rule] of Object.entries(OUTCOME_RULES)) {
    if (rule.retryClass !== 'retry') continue;
    let attempts = 0;
    while (
      decideAfterAttempt(facts({ outcome: outcome as Outcome, attempts, statusCode: 500 })).kind === 'retry'
    ) {
      attempts += 1;
    }
    assert.equal(attempts + 1, rule.attemptsMax, outcome);
  }
});

test('429 and 503 have six attempts', () => {
  for (const statusCode of [429, 503]) {
    const at = (attempts: number) =>
      decideAfterAttempt(facts({ outcome: 'HTTP_RETRYABLE', statusCode, attempts })).kind;
    assert.equal(at(4), 'retry');
    assert.equal(at(5), 'end');
  }
});

test('the wait between attempts doubles and has a ceiling', () => {
  const delayMs = (attempts: number) => {
    const decision = decideAfterAttempt(facts({ outcome: 'HTTP_RETRYABLE', statusCode: 503, attempts }));
    return decision.kind === 'retry' ? decision.delayMs : 0;
  };
  assert.equal(delayMs(0), RETRY_DELAY_MS);
  assert.equal(delayMs(1), RETRY_DELAY_MS * 2);
  assert.ok(delayMs(4) <= RETRY_DELAY_MS_MAX);
});

test('waiting uses up no attempt', () => {
  const decision = decideAfterAttempt(facts({ outcome: 'ROBOTS_UNREACHABLE', attempts: 99 }));
  assert.deepEqual(decision, { kind: 'retry', delayMs: 0, usesAttempt: false });
});

test('a redirect goes on to its target until the eleventh hop', () => {
  const redirect = (hop: number) =>
    decideAfterAttempt(
      facts({ outcome: 'REDIRECTED', statusCode: 302, hop, redirectUrl: 'https://b.example/' }),
    );
  assert.deepEqual(redirect(REDIRECT_HOPS_MAX - 1), { kind: 'redirect', url: 'https://b.example/' });
  assert.equal((redirect(REDIRECT_HOPS_MAX) as { resultKind: string }).resultKind, 'REDIRECT_LIMIT');
});

test('a redirect to a URL of its own chain ends the request', () => {
  const decision = decideAfterAttempt(
    facts({
      outcome: 'REDIRECTED',
      redirectUrl: 'https://a.example/',
      chain: ['https://a.example/', 'https://b.example/'],
    }),
  );
  assert.equal((decision as { resultKind: string }).resultKind, 'REDIRECT_LIMIT');
});

test('a redirect without a target that can be fetched is the page it is', () => {
  const decision = decideAfterAttempt(facts({ outcome: 'REDIRECTED', redirectUrl: '' }));
  assert.equal((decision as { resultKind: string }).resultKind, 'PAGE');
});
