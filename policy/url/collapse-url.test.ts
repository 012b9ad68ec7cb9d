import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { canonicalizeUrl } from './canonicalize-url.ts';
import { collapseUrl } from './collapse-url.ts';
import { urlHash, URL_HASH_BYTES } from './url-hash.ts';
import { urlKey } from './url-key.ts';

const PAGE = 'https://h.test/a';

test('tracking parameters go, whatever the case of their name', () => {
  for (const query of [
    'utm_source=x&UTM_Campaign=y',
    'gclid=1',
    'fbclid=2',
    'msclkid',
    'mc_cid=a&mc_eid=b',
    '_ga=1',
  ]) {
    assert.equal(collapseUrl(`${PAGE}?${query}`), PAGE);
    assert.equal(collapseUrl(`${PAGE}?${query}&id=7`), `${PAGE}?id=7`);
  }
});

test('a parameter that only resembles a tracking one stays', () => {
  for (const query of ['utm=1', 'xutm_source=1', 'gclids=1', 'q=utm_source']) {
    assert.equal(collapseUrl(`${PAGE}?${query}`), `${PAGE}?${query}`);
  }
});

test('session ids go from the query and from path parameters', () => {
  assert.equal(collapseUrl(`${PAGE}?PHPSESSID=abc&p=1`), `${PAGE}?p=1`);
  assert.equal(collapseUrl(`${PAGE};jsessionid=1A2B.node3?p=1`), `${PAGE}?p=1`);
  assert.equal(collapseUrl('https://h.test/cart;JSESSIONID=1/x;v=2'), 'https://h.test/cart/x;v=2');
  assert.equal(collapseUrl(`${PAGE}?ASPSESSIONIDQQGGZT=K&x`), `${PAGE}?x`);
});

test('sid is a session only when its value looks random', () => {
  assert.equal(collapseUrl(`${PAGE}?sid=9f8e7d6c5b4a`), PAGE);
  assert.equal(collapseUrl(`${PAGE}?session_id=k3j2h1g4f5`), PAGE);
  for (const value of ['12', '20261130', 'sports', 'a1', '', 'two-words-2026']) {
    assert.equal(collapseUrl(`${PAGE}?sid=${value}`), `${PAGE}?sid=${value}`);
  }
});

test('parameters are sorted by name, those of one name keep their order, and empty ones go', () => {
  assert.equal(collapseUrl(`${PAGE}?b=2&a=1&&b=1&`), `${PAGE}?a=1&b=2&b=1`);
  assert.equal(collapseUrl(`${PAGE}?`), PAGE);
  assert.equal(collapseUrl(`${PAGE}?q=a=b?c`), `${PAGE}?q=a=b?c`);
});

test('path, host, scheme and the spelling of values are kept', () => {
  for (const url of ['http://h.test/A/', 'https://h.test:8443/a//b;c?q=%2F+%20&v', 'http://[2001:db8::1]/']) {
    const collapsed = collapseUrl(url);
    assert.equal(collapsed, url);
  }
});

test('collapsing is idempotent and does not depend on the order of parameters', () => {
  const parameter = fc.tuple(
    fc.constantFrom('a', 'b', 'sid', 'utm_x', 'PHPSESSID', 'z', ''),
    fc.constantFrom('', '=', '=1', '=9f8e7d6c5b4a'),
  );
  fc.assert(
    fc.property(
      fc
        .uniqueArray(parameter, { selector: ([name]) => name })
        .chain((parameters) =>
          fc.tuple(
            fc.constant(parameters),
            fc.shuffledSubarray(parameters, { minLength: parameters.length }),
          ),
        ),
      ([parameters, shuffled]) => {
        const collapsed = collapseUrl(`${PAGE}?${parameters.map((each) => each.join('')).join('&')}`);
        assert.equal(collapseUrl(`${PAGE}?${shuffled.map((each) => each.join('')).join('&')}`), collapsed);
        assert.equal(collapseUrl(collapsed), collapsed);
      },
    ),
  );
});

test('a collapsed canonical URL is canonical', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true }), (text) => {
      const canonical = canonicalizeUrl(text);
      if (!canonical.ok) return;
      const collapsed = collapseUrl(canonical.url);
      assert.deepEqual(canonicalizeUrl(collapsed), { ok: true, url: collapsed });
    }),
  );
});

test('the hash is the first 128 bits of SHA-256', () => {
  // printf 'http://h.test/' | sha256sum
  assert.equal(Buffer.from(urlHash('http://h.test/')).toString('hex'), 'f01cc3c8a31c8a8277dec5c666664413');
  assert.equal(urlHash('http://h.test/').length, URL_HASH_BYTES);
});

test('URLs of one document share a key and keep hashes of their own', () => {
  const plain = 'http://h.test/?id=1';
  const tracked = 'http://h.test/?utm_source=mail&id=1';
  assert.deepEqual(urlKey(tracked), urlKey(plain));
  assert.notDeepEqual(urlHash(tracked), urlHash(plain));
  assert.notDeepEqual(urlKey('http://h.test/?id=2'), urlKey(plain));
});
