import { CrawlService } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import { ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import { Health } from '@decorum/proto/grpc/health/v1/health_pb.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { boundDeadline } from './bound-deadline.ts';

const LIMITS = { callMsMax: 30_000, streamMsMax: 600_000 };
const { submit } = CrawlService.method;

function bound(headers: Record<string, string>, method: Parameters<typeof boundDeadline>[1] = submit) {
  const header = new Headers(headers);
  const ms = boundDeadline(header, method, LIMITS);
  return [ms, header.get('grpc-timeout') ?? header.get('connect-timeout-ms')];
}

const GRPC = { 'content-type': 'application/grpc+proto' };
const JSON_CALL = { 'content-type': 'application/json' };

test('a call without a deadline gets the longest there is', () => {
  assert.deepEqual(bound(GRPC), [30_000, '30000m']);
  assert.deepEqual(bound(JSON_CALL), [30_000, '30000']);
  assert.deepEqual(bound({}), [30_000, '30000']);
  assert.deepEqual(bound(GRPC, ContentService.method.readBody), [600_000, '600000m']);
});

test('a longer deadline is shortened, not refused', () => {
  assert.deepEqual(bound({ ...GRPC, 'grpc-timeout': '1H' }), [30_000, '30000m']);
  assert.deepEqual(bound({ ...GRPC, 'grpc-timeout': '99999999S' }), [30_000, '30000m']);
  assert.deepEqual(bound({ ...JSON_CALL, 'connect-timeout-ms': '9999999999' }), [30_000, '30000']);
});

test('a shorter deadline stays, in each unit', () => {
  for (const [text, ms] of [
    ['2S', 2_000],
    ['5m', 5],
    ['500u', 0.5],
    ['0n', 0],
  ] as const) {
    assert.deepEqual(bound({ ...GRPC, 'grpc-timeout': text }), [ms, text]);
  }
  assert.deepEqual(bound({ ...JSON_CALL, 'connect-timeout-ms': '7' }), [7, '7']);
});

test('a malformed deadline is left for the protocol to refuse, and bounded all the same', () => {
  assert.deepEqual(bound({ ...GRPC, 'grpc-timeout': '1 hour' }), [30_000, '1 hour']);
  assert.deepEqual(bound({ ...JSON_CALL, 'connect-timeout-ms': '-5' }), [30_000, '-5']);
});

test('watching health has no end', () => {
  assert.deepEqual(bound(GRPC, Health.method.watch), [undefined, null]);
});
