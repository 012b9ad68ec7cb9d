import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import { originOf } from './origin-of.ts';
import { siteOf, SUFFIX_LIST_VERSION } from './site-of.ts';

test('customers of one hosting suffix are sites of their own, and so are registrations under a country', () => {
  assert.equal(siteOf('a.blogspot.com'), 'a.blogspot.com');
  assert.equal(siteOf('x.user.github.io'), 'user.github.io');
  assert.equal(siteOf('www.foo.co.uk'), 'foo.co.uk');
  assert.equal(siteOf('deep.under.foo.co.uk'), 'foo.co.uk');
});

test('a host without a registrable domain is its own site', () => {
  for (const host of ['br.com', 'blogspot.com', 'nhs.uk', 'localhost', 'com', 'b.ck'])
    assert.equal(siteOf(host), host);
});

test('an IP literal is its own site', () => {
  for (const host of ['127.0.0.1', '8.8.8.8', '[::1]', '[2001:db8::1]']) assert.equal(siteOf(host), host);
});

test('wildcard, exception and default rules of the suffix list apply', () => {
  assert.equal(siteOf('x.a.b.ck'), 'a.b.ck');
  assert.equal(siteOf('a.www.ck'), 'www.ck');
  assert.equal(siteOf('x.foo.unlistedtld'), 'foo.unlistedtld');
});

test('A-labels are matched against internationalised suffixes', () => {
  assert.equal(siteOf('b.a.xn--55qx5d.cn'), 'a.xn--55qx5d.cn');
  assert.equal(siteOf('www.xn--mnchen-3ya.example'), 'xn--mnchen-3ya.example');
});

test('no spelling of a host leaves its site', () => {
  assert.equal(siteOf('WWW.Foo.co.uk.'), 'foo.co.uk');
  for (const label of ['a_b', 'a*b', '-a', 'a!', "o'x", '~', 'a+b', '{x}', '_dmarc']) {
    assert.equal(siteOf(originOf(`http://${label}.foo.co.uk/`).host), 'foo.co.uk', label);
  }
});

test('the recorded version is the suffix list that is installed', () => {
  const manifest = createRequire(import.meta.url)('tldts/package.json') as { version: string };
  assert.equal(SUFFIX_LIST_VERSION, `tldts ${manifest.version}`);
});
