import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toStorable } from './to-storable.ts';

test('NUL characters are dropped at every depth, in names too', () => {
  const value = { detail: '\0a\0\0b', headers: [{ name: 'x\0-y', value: '\0' }], ['k\0']: ['\0c'] };
  assert.deepEqual(toStorable(value), { detail: 'ab', headers: [{ name: 'x-y', value: '' }], k: ['c'] });
});

test('half a surrogate pair becomes U+FFFD and a whole one stays', () => {
  assert.deepEqual(toStorable(['a\ud800', '\udc00b', '\u{1f600}']), ['a\ufffd', '\ufffdb', '\u{1f600}']);
});

test('what is no text is given back as it is', () => {
  const value = {
    bytes: Uint8Array.of(0, 1),
    at: new Date(0),
    count: 5n,
    ms: 0.5,
    none: null,
    gone: undefined,
  };
  const storable = toStorable(value);
  assert.deepEqual(storable, value);
  assert.equal(storable.bytes, value.bytes);
  assert.equal(storable.at, value.at);
});
