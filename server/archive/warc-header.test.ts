import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatWarcFields,
  formatWarcHeader,
  getRecordId,
  getWarcField,
  parseWarcHeader,
} from './warc-header.ts';

test('a header is read back as written', () => {
  const fields = [
    ['WARC-Type', 'response'],
    ['WARC-Record-ID', '<urn:uuid:01935c2e-7b1a-7000-8000-0123456789ab>'],
    ['WARC-Target-URI', 'https://example.test/%C3%A9?a=b:c'],
    ['WARC-Concurrent-To', '<urn:uuid:1>'],
    ['WARC-Concurrent-To', '<urn:uuid:2>'],
    ['Content-Length', '0'],
  ] as const;
  const parsed = parseWarcHeader(formatWarcHeader(fields));
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.header, { version: '1.1', fields });
  assert.equal(getWarcField(parsed.header, 'warc-type'), 'response');
  assert.equal(getWarcField(parsed.header, 'WARC-Date'), undefined);
  assert.equal(getRecordId(parsed.header), '01935c2e-7b1a-7000-8000-0123456789ab');
});

test('no value of a header can begin another field', () => {
  for (const value of ['a\r\nWARC-Type: response', 'a\nb', 'a\u0000b', 'a\u007fb']) {
    assert.throws(() => formatWarcHeader([['WARC-Filename', value]]), RangeError);
  }
  assert.throws(() => formatWarcHeader([['WARC Type', 'x']]), RangeError);
  assert.throws(() => formatWarcHeader([['WARC-Type:', 'x']]), RangeError);
});

test('control characters in what a site said are marked, and all else is kept', () => {
  const block = formatWarcFields([
    ['robots-line', '3: Disallow: /a\r\noperator: somebody\u0000é'],
    ['operator', 'us'],
  ]).toString();
  assert.equal(
    block,
    'robots-line: 3: Disallow: /a\ufffd\ufffdoperator: somebody\ufffdé\r\noperator: us\r\n',
  );
});

test('what is no header is named as such', () => {
  for (const text of [
    '',
    'HTTP/1.1 200 OK\r\n\r\n',
    'WARC/1.1\r\nWARC-Type response\r\n\r\n',
    'WARC/1.1\r\nWARC-Type: response\r\n',
    'WARC/1.1\r\n: x\r\n\r\n',
    'WARC/1.1\nWARC-Type: response\n\n',
  ]) {
    assert.equal(parseWarcHeader(Buffer.from(text)).ok, false, JSON.stringify(text));
  }
});
