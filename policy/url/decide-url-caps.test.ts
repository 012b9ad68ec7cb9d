import assert from 'node:assert/strict';
import { test } from 'node:test';

import { canonicalizeUrl, URL_BYTES_MAX } from './canonicalize-url.ts';
import {
  decideUrlCaps,
  ENCODING_DEPTH_MAX,
  ENTITY_REPEATS_MAX,
  PATH_DEPTH_MAX,
  SEGMENT_OCCURRENCES_MAX,
} from './decide-url-caps.ts';

const OK = { ok: true };

function trap(cap: string): unknown {
  return { ok: false, reason: 'TRAP', cap };
}

function canonical(input: string, base?: string): string {
  const result = canonicalizeUrl(input, base);
  assert.ok(result.ok);
  return result.url;
}

test('a URL of 2,048 bytes is taken, one byte more is invalid', () => {
  const longest = 'http://h.test/'.padEnd(URL_BYTES_MAX, 'a');
  assert.deepEqual(decideUrlCaps(longest), OK);
  assert.deepEqual(decideUrlCaps(`${longest}a`), { ok: false, reason: 'INVALID_URL', cap: 'URL_BYTES' });
});

test('the length that counts is that of the encoded URL', () => {
  const text = `http://h.test/?q=${'é'.repeat(400)}`;
  assert.ok(text.length < URL_BYTES_MAX);
  assert.deepEqual(decideUrlCaps(canonical(text)), { ok: false, reason: 'INVALID_URL', cap: 'URL_BYTES' });
});

test('a path of 16 segments is taken, a deeper one is a trap', () => {
  const deepest = Array.from({ length: PATH_DEPTH_MAX }, (_, at) => `/s${at}`).join('');
  assert.deepEqual(decideUrlCaps(`http://h.test${deepest}`), OK);
  assert.deepEqual(decideUrlCaps(`http://h.test${deepest}/`), OK);
  assert.deepEqual(decideUrlCaps(`http://h.test${deepest}/x`), trap('PATH_DEPTH'));
});

test('a segment may occur three times, not four, next to each other or not', () => {
  assert.equal(SEGMENT_OCCURRENCES_MAX, 3);
  assert.deepEqual(decideUrlCaps('http://h.test/2001/01/01/01/'), OK);
  assert.deepEqual(decideUrlCaps('http://h.test/a/a/a/a'), trap('SEGMENT_OCCURRENCES'));
  assert.deepEqual(decideUrlCaps('http://h.test/a/b/a/b/a/b/a/'), trap('SEGMENT_OCCURRENCES'));
  assert.deepEqual(decideUrlCaps('http://h.test//a//b//c//d'), trap('SEGMENT_OCCURRENCES'));
});

test('slashes in a query are no segments', () => {
  assert.deepEqual(decideUrlCaps(`http://h.test/?p=${'/a'.repeat(40)}`), OK);
});

test('a link without scheme stops growing the path', () => {
  assert.equal(followForever('www.foo.test/a', 'http://h.test/x/'), 'SEGMENT_OCCURRENCES');
});

test('an entity that a page adds to its own query stops growing it, encoded or not', () => {
  assert.equal(
    growForever((query) => `&amp;${query}`),
    'ENTITY_REPEATS',
  );
  assert.equal(
    growForever((query) => `amp%3B${query}`),
    'ENTITY_REPEATS',
  );
  assert.equal(ENTITY_REPEATS_MAX, 3);
});

test('a query that is encoded again at every hop stops at the fourth encoding', () => {
  assert.equal(ENCODING_DEPTH_MAX, 3);
  assert.deepEqual(decideUrlCaps('http://h.test/?u=http%25253A%25252F'), OK);
  assert.deepEqual(decideUrlCaps('http://h.test/?u=http%2525253A'), trap('ENCODING_DEPTH'));
  assert.equal(
    growForever((query) => encodeURIComponent(query)),
    'ENCODING_DEPTH',
  );
});

/** Follows one relative link over and over, as from a page that is the same at every path; the cap that ends it. */
function followForever(reference: string, start: string): string {
  let url = start;
  for (let hop = 0; hop < 100; hop += 1) {
    url = canonical(reference, url);
    const decision = decideUrlCaps(url);
    if (!decision.ok) return decision.cap;
  }
  return 'none';
}

/** Follows a page that links to itself with a changed query; the cap that ends it. */
function growForever(grow: (query: string) => string): string {
  let query = 'p=/2';
  for (let hop = 0; hop < 100; hop += 1) {
    query = new URL(canonical(`http://h.test/?${grow(query)}`)).search.slice(1);
    const decision = decideUrlCaps(`http://h.test/?${query}`);
    if (!decision.ok) return decision.cap;
  }
  return 'none';
}
