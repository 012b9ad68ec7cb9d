import assert from 'node:assert/strict';
import { test } from 'node:test';

import { redact } from './redact.ts';

test('URLs of any scheme leave the text, with their credentials', () => {
  const text =
    'fetch of HTTPS://shop.test/a?b=c failed; postgres://me:secret@db:5432/x is down, s3://bucket/k too';
  assert.equal(redact(text), 'fetch of [url] failed; [url] is down, [url] too');
});

test('keys, JWTs and seeds leave the text', () => {
  const seed = `SU${'A'.repeat(56)}`;
  assert.equal(redact(`Bearer dk_k1-2_s3cr3t_-x, ${seed}`), 'Bearer [key], [seed]');
  assert.equal(redact('jwt eyJhbGciOi.eyJzdWIi.c2ln end'), 'jwt [jwt] end');
});

test('positions of a stack trace stay', () => {
  const line = '    at main (file:///srv/decorum/server/main.ts:3:9)';
  assert.equal(redact(line), line);
});
