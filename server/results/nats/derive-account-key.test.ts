import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOperator, fromPublic } from '@nats-io/nkeys';
import { deriveAccountKey } from './derive-account-key.ts';

const operatorSeed = Buffer.from(createOperator().getSeed()).toString();

test('a tenant always has the same account key, and it signs', () => {
  const key = deriveAccountKey(operatorSeed, 'search');
  assert.match(key.getPublicKey(), /^A[A-Z2-7]{55}$/);
  assert.equal(deriveAccountKey(operatorSeed, 'search').getPublicKey(), key.getPublicKey());
  const text = Buffer.from('text');
  assert.ok(fromPublic(key.getPublicKey()).verify(text, key.sign(text)));
});

test('another tenant or another operator has another key', () => {
  const key = deriveAccountKey(operatorSeed, 'search').getPublicKey();
  assert.notEqual(deriveAccountKey(operatorSeed, 'ml').getPublicKey(), key);
  const otherSeed = Buffer.from(createOperator().getSeed()).toString();
  assert.notEqual(deriveAccountKey(otherSeed, 'search').getPublicKey(), key);
});
