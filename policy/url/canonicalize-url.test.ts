import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { BAD_PORTS } from './bad-ports.ts';
import { canonicalizeUrl } from './canonicalize-url.ts';

function canonical(input: string, base?: string): string {
  const result = canonicalizeUrl(input, base);
  assert.ok(result.ok, `${input} was refused`);
  return result.url;
}

function refusal(input: string): string {
  const result = canonicalizeUrl(input);
  assert.ok(!result.ok, `${input} was taken`);
  return result.reason;
}

/** URL-shaped texts made of the pieces that parsers stumble over. */
const urlText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '%',
        '%2',
        '%25',
        '%41',
        '%7e',
        '%2e',
        '%2F',
        '%c3%a9',
        '%zz',
        '^',
        '?',
        '#',
        '&',
        '&amp;',
        '/',
        '//',
      ),
      fc.constantFrom(
        '.',
        '..',
        './',
        '\\',
        '@',
        ':',
        ' ',
        '\t',
        ';',
        '=',
        '+',
        "'",
        '|',
        '[',
        'é',
        '\u{1f600}',
        '\ud800',
      ),
      fc.constantFrom('0', '1', '2', '4', '5', '7', 'e', 'E', 'a', 'z', '~', '-', '_'),
    ),
    { maxLength: 16 },
  )
  .map((pieces) => `http://h.test${pieces.join('')}`);

test('canonicalising a canonical URL changes nothing', () => {
  fc.assert(
    fc.property(fc.oneof(urlText, fc.webUrl({ withFragments: true, withQueryParameters: true })), (text) => {
      const once = canonicalizeUrl(text);
      if (once.ok) assert.deepEqual(canonicalizeUrl(once.url), once);
    }),
    { numRuns: 2000 },
  );
});

test('a canonical URL names the same bytes, with the same delimiters, as what the WHATWG parser read', () => {
  const bytes = (text: string): string =>
    text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const delimiters = (text: string): string => text.replace(/[^:/?#[\]@!$&'()*+,;=]/g, '');
  fc.assert(
    fc.property(fc.oneof(urlText, fc.webUrl({ withQueryParameters: true })), (text) => {
      const result = canonicalizeUrl(text);
      if (!result.ok) return;
      const parsed = new URL(text);
      const read = new URL(result.url);
      assert.equal(read.hostname, parsed.hostname.replace(/\.$/, ''));
      assert.equal(read.port, parsed.port);
      assert.equal(bytes(read.pathname + read.search), bytes(parsed.pathname + parsed.search));
      assert.equal(delimiters(read.pathname + read.search), delimiters(parsed.pathname + parsed.search));
    }),
    { numRuns: 1000 },
  );
});

test('an escape is decoded once, and never so that a new escape appears', () => {
  assert.equal(canonical('http://h.test/%2541'), 'http://h.test/%2541');
  assert.equal(canonical('http://h.test/%%34%31'), 'http://h.test/%%341');
  assert.equal(canonical('http://h.test/%2%35'), 'http://h.test/%2%35');
  assert.equal(canonical('http://h.test/%2%7e%41%35'), 'http://h.test/%2~A5');
});

test('existing escapes are never encoded again, and an entity left in a query is not touched', () => {
  assert.equal(canonical('http://h.test/a%E2%84%A2'), 'http://h.test/a%E2%84%A2');
  assert.equal(canonical('http://h.test/?&amp;p=2&q=amp%3B'), 'http://h.test/?&amp;p=2&q=amp%3B');
});

test('fragment, case of scheme and host, default port and a missing path make no other URL', () => {
  for (const spelling of [
    'http://h.test/#a',
    'http://h.test',
    'http://h.test/',
    'HTTP://H.TEST:80/#',
    ' http://h.test/ ',
  ]) {
    assert.equal(canonical(spelling), 'http://h.test/');
  }
});

test('dot segments are gone, in every spelling', () => {
  assert.equal(canonical('./search?sid=1', 'http://h.test/./x/%2e/./'), 'http://h.test/x/search?sid=1');
  assert.equal(canonical('http://h.test/a/%2E%2e/.%2e/b'), 'http://h.test/b');
});

test('all spellings of a host give one host', () => {
  for (const spelling of [
    'http://ex%61mple.test./',
    'http://EXAMPLE.test',
    'http://example。test/',
    'http://ｅxample.test',
  ]) {
    assert.equal(canonical(spelling), 'http://example.test/');
  }
  assert.equal(canonical('http://b\u00fccher.test/'), canonical('http://xn--bcher-kva.test./'));
  assert.equal(canonical('http://[2001:DB8:0::1]:80/'), 'http://[2001:db8::1]/');
  assert.equal(canonical('http://0x7f.1./'), 'http://127.0.0.1/');
});

test('userinfo is dropped and an empty query kept', () => {
  assert.equal(canonical('https://user:secret@h.test:8443/?#x'), 'https://h.test:8443/?');
});

test('only http and https are taken', () => {
  for (const text of [
    'ftp://h.test/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:,x',
    'blob:http://h.test/1',
    'mailto:a@h.test',
  ]) {
    assert.equal(refusal(text), 'SCHEME');
  }
});

test('every bad port of Fetch and port 0 are refused, whatever the scheme', () => {
  assert.ok(BAD_PORTS.size > 80);
  for (const port of BAD_PORTS) {
    assert.equal(refusal(`http://h.test:${port}/`), 'PORT');
    assert.equal(refusal(`https://h.test:${port}/`), 'PORT');
  }
  assert.equal(canonical('http://h.test:8080/'), 'http://h.test:8080/');
});

test('a host that no resolver can answer for is refused', () => {
  const label = 'a'.repeat(63);
  for (const host of [
    'a..test',
    '.test',
    '*.test',
    'a*b.test',
    'a.test..',
    '.',
    `${label}a.test`,
    `${label}.${label}.${label}.${label}.test`,
  ]) {
    assert.equal(refusal(`http://${host}/`), 'HOST', host);
  }
  assert.equal(canonical(`http://${label}.test/`), `http://${label}.test/`);
});

test('a host with an A-label that encodes nothing valid is refused', () => {
  for (const host of ['xn--a.test', 'xn--.test', 'xn--abc-.test', 'xn--a.xn--n3h.test']) {
    assert.equal(refusal(`http://${host}/`), 'HOST', host);
  }
  assert.equal(canonical('http://xn--n3h.xn--p1ai/'), 'http://xn--n3h.xn--p1ai/');
});

test('what does not parse is refused without an exception', () => {
  for (const text of [
    '',
    'a/b',
    '//h.test/x',
    'http://',
    'http://a b/',
    'http://h.test:99999/',
    'http://[::1/',
    'http://1.2.3.4.5/',
  ]) {
    assert.equal(refusal(text), 'UNPARSABLE', text);
  }
  assert.deepEqual(canonicalizeUrl('x', 'no base'), { ok: false, reason: 'UNPARSABLE' });
});
