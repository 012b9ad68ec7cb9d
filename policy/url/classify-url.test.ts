import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseAllowAddresses } from '../address/parse-allow-addresses.ts';
import { classifyUrl } from './classify-url.ts';
import { COLLAPSE_RULES_VERSION } from './collapse-url.ts';
import { urlHash } from './url-hash.ts';
import { urlKey } from './url-key.ts';

function reasonOf(input: string): string {
  const result = classifyUrl(input);
  assert.ok(!result.ok, `${input} was taken`);
  return `${result.reason} ${result.detail}`;
}

test('a URL is answered with everything Submit needs', () => {
  const url = 'https://www.foo.co.uk:8443/a?utm_source=x&id=1';
  assert.deepEqual(classifyUrl('HTTPS://user@WWW.foo.co.uk.:8443/b/../a?utm_source=x&id=1#top'), {
    ok: true,
    url,
    urlHash: urlHash(url),
    urlKey: urlKey('https://www.foo.co.uk:8443/a?id=1'),
    urlKeyVersion: COLLAPSE_RULES_VERSION,
    host: 'www.foo.co.uk',
    site: 'foo.co.uk',
    origin: { scheme: 'https', host: 'www.foo.co.uk', port: 8443, origin: 'https://www.foo.co.uk:8443' },
  });
});

test('a relative reference is read against its base', () => {
  const result = classifyUrl('../x', { base: 'http://h.test/a/b/' });
  assert.ok(result.ok);
  assert.equal(result.url, 'http://h.test/a/x');
});

test('every kind of refusal carries its reason and its rule', () => {
  assert.equal(reasonOf('http://a b/'), 'INVALID_URL UNPARSABLE');
  assert.equal(reasonOf('ftp://h.test/'), 'INVALID_URL SCHEME');
  assert.equal(reasonOf('http://h.test:22/'), 'INVALID_URL PORT');
  assert.equal(reasonOf('http://h..test/'), 'INVALID_URL HOST');
  assert.equal(reasonOf(`http://h.test/${'a'.repeat(2048)}`), 'INVALID_URL URL_BYTES');
  assert.equal(reasonOf('http://h.test/a/a/a/a'), 'TRAP SEGMENT_OCCURRENCES');
  assert.equal(reasonOf('http://10.0.0.1/'), 'ADDRESS_FORBIDDEN SPECIAL_PURPOSE');
  assert.equal(reasonOf('http://[::1]/'), 'ADDRESS_FORBIDDEN NOT_GLOBAL_UNICAST');
  assert.equal(reasonOf('http://localhost./'), 'ADDRESS_FORBIDDEN SPECIAL_USE_NAME');
  assert.equal(reasonOf('http://intranet/'), 'ADDRESS_FORBIDDEN SINGLE_LABEL');
});

test('every spelling of a private address is refused', () => {
  for (const host of [
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127。0。0。1',
    '[::ffff:127.0.0.1]',
    '%31%32%37.0.0.1',
    '127.0.0.1.',
  ]) {
    assert.match(reasonOf(`http://${host}/`), /^ADDRESS_FORBIDDEN/, host);
  }
});

test('public literals pass, exempt ones only when exempt', () => {
  assert.ok(classifyUrl('http://93.184.216.34/').ok);
  assert.ok(classifyUrl('http://[2606:4700::1111]/').ok);
  const allowed = parseAllowAddresses('127.64.0.0/10');
  assert.ok(allowed.ok);
  assert.ok(classifyUrl('http://127.64.0.1/', { exempt: allowed.exempt }).ok);
  assert.ok(!classifyUrl('http://127.64.0.1/').ok);
  assert.ok(!classifyUrl('http://127.0.0.1/', { exempt: allowed.exempt }).ok);
});
