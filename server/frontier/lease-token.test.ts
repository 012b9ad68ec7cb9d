import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLeaseToken, parseLeaseToken } from './lease-token.ts';

const leaseId = '0198c6b2-7d3e-7c41-9a53-5d1f7a3e9b10';

test('a token leads back to its lease and generation', () => {
  for (const generation of [0, 1, 10, 999_999_999]) {
    assert.deepEqual(parseLeaseToken(formatLeaseToken({ leaseId, generation })), { leaseId, generation });
  }
});

test('a token has one spelling: leading zeros, signs, blanks and capitals are none', () => {
  const aliases = [`01.${leaseId}`, `00.${leaseId}`, `+1.${leaseId}`, ` 1.${leaseId}`, `1.${leaseId}\n`];
  for (const alias of [
    ...aliases,
    `1.${leaseId.toUpperCase()}`,
    `.${leaseId}`,
    `1234567890.${leaseId}`,
    '',
  ]) {
    assert.equal(parseLeaseToken(alias), undefined, JSON.stringify(alias));
  }
});
