import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ipLiteral } from './ip-literal.ts';
import { originOf } from './origin-of.ts';

test('an origin has its scheme, host and port, the default port left out of its text', () => {
  assert.deepEqual(originOf('http://a.test/x?y'), {
    scheme: 'http',
    host: 'a.test',
    port: 80,
    origin: 'http://a.test',
  });
  assert.deepEqual(originOf('https://a.test/'), {
    scheme: 'https',
    host: 'a.test',
    port: 443,
    origin: 'https://a.test',
  });
  assert.deepEqual(originOf('http://a.test:443/'), {
    scheme: 'http',
    host: 'a.test',
    port: 443,
    origin: 'http://a.test:443',
  });
  assert.deepEqual(originOf('https://[2001:db8::1]:8443/'), {
    scheme: 'https',
    host: '[2001:db8::1]',
    port: 8443,
    origin: 'https://[2001:db8::1]:8443',
  });
});

test('a literal host gives its address, a name gives none', () => {
  assert.equal(ipLiteral('[2001:db8::1]'), '2001:db8::1');
  assert.equal(ipLiteral('192.0.2.1'), '192.0.2.1');
  assert.equal(ipLiteral('1.2.3.4.example'), undefined);
});
