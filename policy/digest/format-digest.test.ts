import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { formatDigest } from './format-digest.ts';

test('digests of the empty body are written as every web archive writes them', () => {
  const digest = (algorithm: string) => createHash(algorithm).digest();
  assert.equal(formatDigest('sha1', digest('sha1')), 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ');
  assert.equal(
    formatDigest('sha256', digest('sha256')),
    'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  );
});

test('a digest of the wrong length is refused', () => {
  assert.throws(() => formatDigest('sha1', new Uint8Array(32)), RangeError);
  assert.throws(() => formatDigest('sha256', new Uint8Array(20)), RangeError);
});
