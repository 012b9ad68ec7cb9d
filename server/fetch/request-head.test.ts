import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create } from '@bufbuild/protobuf';
import { ValidatorsSchema } from '@decorum/proto/decorum/fetch/v1/lease_pb.ts';
import { buildRequestFields, formatRequestHead, VALIDATOR_CHARACTERS_MAX } from './request-head.ts';

const IDENTITY = {
  userAgent: 'decorumbot/0.1 (+http://c.test/bot)',
  from: 'a@c.test',
  productToken: 'decorumbot',
};
const validators = (etag: string, lastModified = '') => create(ValidatorsSchema, { etag, lastModified });
const conditions = (etag: string, lastModified = '') =>
  buildRequestFields(IDENTITY, validators(etag, lastModified)).slice(5);

test('a request without validators has the five fields that say who asks for what', () => {
  assert.deepEqual(
    buildRequestFields(IDENTITY, null).map(([name]) => name),
    ['User-Agent', 'From', 'Accept', 'Accept-Encoding', 'Accept-Language'],
  );
});

test('validators go back as they came', () => {
  assert.deepEqual(conditions('W/"\xe9 x"', 'Mon, 30 Nov 2026 10:00:00 GMT'), [
    ['If-None-Match', 'W/"\xe9 x"'],
    ['If-Modified-Since', 'Mon, 30 Nov 2026 10:00:00 GMT'],
  ]);
  assert.deepEqual(conditions('', ''), []);
});

test('validators that would be more than a value do not go back', () => {
  for (const bad of ['"a"\r\nCookie: x', '"\0"', '"\u0100"', `"${'x'.repeat(VALIDATOR_CHARACTERS_MAX)}"`]) {
    assert.deepEqual(conditions(bad, bad), [], JSON.stringify(bad.slice(0, 20)));
  }
});

test('a head has one octet a character', () => {
  const head = formatRequestHead({ host: 'h.test', path: '/', fields: [['If-None-Match', '"\xe9"']] });
  const text = 'GET / HTTP/1.1\r\nhost: h.test\r\nconnection: keep-alive\r\nIf-None-Match: "\xe9"\r\n\r\n';
  assert.deepEqual(head, Buffer.from(text, 'latin1'));
});
