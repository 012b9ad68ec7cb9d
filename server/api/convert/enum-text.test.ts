import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutcomeSchema, ResultKindSchema } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import { OUTCOME_RULES } from '@decorum/policy/retry/attempt-table.ts';
import { enumText, enumValue } from './enum-text.ts';

test('every outcome of the contract is one of the table, and the other way round', () => {
  const ofContract = OutcomeSchema.values
    .filter(({ number }) => number > 0)
    .map(({ number }) => enumText(OutcomeSchema, number));
  assert.deepEqual(ofContract.sort(), Object.keys(OUTCOME_RULES).sort());
});

test('a name and its number lead to each other', () => {
  for (const { number } of ResultKindSchema.values) {
    assert.equal(enumValue(ResultKindSchema, enumText(ResultKindSchema, number)), number);
  }
});

test('an unknown name or number is unspecified', () => {
  assert.equal(enumValue(ResultKindSchema, 'NO_SUCH_KIND'), 0);
  assert.equal(enumText(ResultKindSchema, 4711), 'UNSPECIFIED');
});
