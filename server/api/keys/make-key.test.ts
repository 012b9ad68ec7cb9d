import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSecret, makeKey, parseKey } from './make-key.ts';

test('a key splits into its id and a secret that its hash knows', () => {
  const { keyId, key, secretSha256 } = makeKey();
  const parsed = parseKey(key);
  assert.equal(parsed?.keyId, keyId);
  assert.ok(isSecret(parsed.secret, secretSha256));
  assert.ok(!isSecret(`${parsed.secret.slice(0, -1)}!`, secretSha256));
});

test('no two keys are alike', () => {
  const keys = new Set(Array.from({ length: 100 }, () => makeKey().key));
  assert.equal(keys.size, 100);
});

test('a text of another form is no key', () => {
  for (const text of ['', 'dk_', 'dk_id', 'xk_id_secret', 'dk_id_', 'dk__secret', 'dk_i d_secret']) {
    assert.equal(parseKey(text), undefined, text);
  }
});
