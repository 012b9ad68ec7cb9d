import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findHeadEnd, getHttpFieldValues, toArchivedHead } from './http-head.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

test('only the transfer-coding field is renamed, and every other byte stays as received', () => {
  const head =
    'HTTP/1.1 200 Tr\u00e8s bien\r\nX-Note: caf\u00e9\rTransfer-Encoding: x\r\nTRANSFER-encoding : chunked\r\nX-Transfer-Encoding: a\r\ntransfer-encoding:gzip\r\n\r\n';
  const stored =
    'HTTP/1.1 200 Tr\u00e8s bien\r\nX-Note: caf\u00e9\rTransfer-Encoding: x\r\nX-Crawler-TRANSFER-encoding : chunked\r\nX-Transfer-Encoding: a\r\nX-Crawler-transfer-encoding:gzip\r\n\r\n';
  assert.deepEqual(toArchivedHead(bytes(head)), bytes(stored));
});

test('a head without the field is the same bytes', () => {
  const head = Buffer.from(Uint8Array.from({ length: 256 }, (_, index) => index));
  assert.equal(toArchivedHead(head), head);
});

test('field values are found by name without case, one per line', () => {
  const head = bytes(
    'HTTP/1.1 200 OK\r\nA: 1\r\nContent-Encoding:  GZip \r\ncontent-encoding: br\r\nB: Content-Encoding: no\r\n\r\n',
  );
  assert.deepEqual(getHttpFieldValues(head, 'Content-Encoding'), ['GZip', 'br']);
  assert.deepEqual(getHttpFieldValues(head, 'C'), []);
});

test('a head ends after its first empty line', () => {
  assert.equal(findHeadEnd(bytes('a\r\nb\r\n\r\nbody\r\n\r\n')), 8);
  assert.equal(findHeadEnd(bytes('a\nb\n\nbody')), 5);
  assert.equal(findHeadEnd(bytes('a\nb\n\r\nbody')), 6);
  for (const open of ['', 'a', 'a\r\n', 'a\r\nb\r\n', 'a\r\nb\r\n\r', 'a\r\r\nb']) {
    assert.equal(findHeadEnd(bytes(open)), -1, JSON.stringify(open));
  }
});
