import assert from 'node:assert/strict';
import { test } from 'node:test';

import { normalizeRobotsPath } from './normalize-robots-path.ts';

test('paths are compared in one form (RFC 9309 §2.2.2)', () => {
  const octets = (text: string): string => Buffer.from(text).toString('latin1');
  const forms: readonly (readonly [path: string, form: string])[] = [
    ['/foo/bar?baz=quz', '/foo/bar?baz=quz'],
    ['/foo/bar/ツ', '/foo/bar/%E3%83%84'],
    ['/foo/bar/%E3%83%84', '/foo/bar/%E3%83%84'],
    ['/foo/bar/%62%61%7A', '/foo/bar/baz'],
    ['/%7Eann/%7eann/~ann', '/~ann/~ann/~ann'],
    ['/%2d%2E%5f', '/-._'],
    ['/a%2fb', '/a%2Fb'],
    ['/a%3Ab:c', '/a%3Ab:c'],
    ['/%c3%a9', '/%C3%A9'],
    ['/a b\x7f', '/a%20b%7F'],
    ['/*$', '/%2A%24'],
    ['/%2a%24', '/%2A%24'],
    ['/100%', '/100%'],
    ['/%zz%4', '/%zz%4'],
    ['/%2541', '/%2541'],
    ['', ''],
  ];
  for (const [path, form] of forms) assert.equal(normalizeRobotsPath(octets(path)), form);
});

test('a URL in a query has one form, however it is escaped', () => {
  const form = '/%2F?u=https://foo.bar/%26?';
  assert.equal(normalizeRobotsPath('/%2f?u=https://foo.bar/%26?'), form);
  assert.equal(normalizeRobotsPath('/%2f?u=https%3a%2F%2Ffoo.bar%2f%26?'), form);
  assert.equal(normalizeRobotsPath('%3A%2F', true), ':/');
});
