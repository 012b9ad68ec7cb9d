import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseMaxAge } from './parse-max-age.ts';

test('max-age is found among other directives and field lines', () => {
  assert.equal(parseMaxAge(['max-age=60']), 60);
  assert.equal(parseMaxAge(['public, Max-Age = "60", must-revalidate']), 60);
  assert.equal(parseMaxAge(['public', 'max-age=60']), 60);
  assert.equal(parseMaxAge(['max-age=600, max-age=60']), 60);
});

test('no-cache and no-store count as a max-age of 0', () => {
  assert.equal(parseMaxAge(['no-store, max-age=60']), 0);
  assert.equal(parseMaxAge(['max-age=60', 'no-cache="set-cookie"']), 0);
});

test('what is no number of seconds is none', () => {
  for (const value of [
    '',
    'public',
    's-maxage=60',
    'max-age',
    'max-age=',
    'max-age=-1',
    'max-age=1.5',
    'x-max-age=6',
  ]) {
    assert.equal(parseMaxAge([value]), null, value);
  }
  assert.equal(parseMaxAge([]), null);
  assert.equal(parseMaxAge([`max-age=${'9'.repeat(400)}`]), Number.MAX_SAFE_INTEGER);
});
