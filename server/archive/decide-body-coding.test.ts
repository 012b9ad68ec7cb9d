import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideBodyCoding } from './decide-body-coding.ts';

const decide = (...lines: string[]) =>
  decideBodyCoding(Buffer.from(['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n')));

test('a body that came compressed is not compressed again', () => {
  assert.equal(decide('Content-Encoding: gzip'), 'stored');
  assert.equal(decide('content-encoding: X-GZip'), 'stored');
  assert.equal(decide('Content-Encoding: identity', 'Content-Encoding: br'), 'stored');
  assert.equal(decide('Transfer-Encoding: gzip, chunked'), 'stored');
});

test('a body of a format that compresses itself is not compressed either', () => {
  for (const type of [
    'image/jpeg',
    'IMAGE/PNG',
    'video/mp4',
    'audio/mpeg',
    'application/zip; x=y',
    'font/woff2',
  ]) {
    assert.equal(decide(`Content-Type: ${type}`), 'stored', type);
  }
});

test('everything else is deflated', () => {
  assert.equal(decide(), 'deflated');
  assert.equal(decide('Transfer-Encoding: Chunked', 'Content-Encoding: '), 'deflated');
  for (const type of [
    'text/html; charset=utf-8',
    'image/svg+xml',
    'image/bmp',
    'audio/wav',
    'application/json',
    '',
  ]) {
    assert.equal(decide(`Content-Type: ${type}`), 'deflated', type);
  }
});
