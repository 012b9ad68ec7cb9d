import { durationMs } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  QuotaFailureSchema,
  RetryInfoSchema,
} from '@decorum/proto/google/rpc/error_details_pb.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DomainError } from '../../runtime/domain-error.ts';
import { toConnectError, withErrorInfo } from './to-connect-error.ts';

function convert(error: unknown) {
  const reported: unknown[] = [];
  const converted = toConnectError(error, (cause) => {
    reported.push(cause);
    return 'error-1';
  });
  const [info, ...others] = converted.findDetails(ErrorInfoSchema);
  assert.ok(info !== undefined && others.length === 0, 'exactly one ErrorInfo');
  assert.equal(info.domain, 'decorum');
  return { converted, info, reported };
}

test('a domain error keeps its text, reason and metadata, and gets its code from the table', () => {
  const error = new DomainError({
    kind: 'not_found',
    reason: 'NO_SUCH_TENANT',
    message: 'no such tenant',
    metadata: { tenantId: 'a' },
  });
  const { converted, info, reported } = convert(error);
  assert.equal(converted.code, Code.NotFound);
  assert.equal(converted.rawMessage, 'no such tenant');
  assert.equal(info.reason, 'NO_SUCH_TENANT');
  assert.deepEqual(info.metadata, { tenantId: 'a' });
  assert.deepEqual(reported, []);
});

test('a field to blame becomes a BadRequest', () => {
  const error = new DomainError({
    kind: 'invalid',
    reason: 'BAD_LABEL',
    message: 'too long',
    field: 'label',
  });
  const [detail] = convert(error).converted.findDetails(BadRequestSchema);
  assert.deepEqual(
    detail?.fieldViolations.map(({ field, description }) => [field, description]),
    [['label', 'too long']],
  );
});

test('a quota names what ran out, and when to try again, also to HTTP clients', () => {
  const error = new DomainError({
    kind: 'quota',
    reason: 'PENDING_REQUESTS',
    message: 'too many are pending',
    metadata: { subject: 'tenants/a', quota: 'pending_requests', limit: '1000' },
    retryAfterMs: 1_500,
  });
  const { converted } = convert(error);
  assert.equal(converted.code, Code.ResourceExhausted);
  const [violation] = converted.findDetails(QuotaFailureSchema)[0]?.violations ?? [];
  assert.deepEqual(
    [violation?.subject, violation?.quotaMetric, violation?.quotaValue],
    ['tenants/a', 'pending_requests', 1000n],
  );
  const [retry] = converted.findDetails(RetryInfoSchema);
  assert.equal(retry?.retryDelay && durationMs(retry.retryDelay), 1_500);
  assert.equal(converted.metadata.get('retry-after'), '2');
});

test('an unexpected error shows nothing but the id of its log line', () => {
  const cause = new Error('password=s3cr3t');
  const { converted, info, reported } = convert(cause);
  assert.equal(converted.code, Code.Internal);
  assert.doesNotMatch(converted.message, /s3cr3t/);
  assert.equal(info.metadata['errorId'], 'error-1');
  assert.deepEqual(reported, [cause]);
});

test('an error that another server sent us is not handed on', () => {
  const wire = Object.assign(new ConnectError('secret of theirs', Code.NotFound), { isWireError: true });
  assert.equal(convert(wire).converted.code, Code.Internal);
});

test('an error of the transport keeps its text and gets one ErrorInfo, however often it is looked at', () => {
  const error = withErrorInfo(new ConnectError('message too large', Code.ResourceExhausted));
  const { converted, info } = convert(withErrorInfo(error));
  assert.equal(converted.rawMessage, 'message too large');
  assert.equal(info.reason, 'MESSAGE_TOO_LARGE');
});

test('bytes that are no message are the caller’s fault', () => {
  const { converted, info, reported } = convert(
    new ConnectError('parse binary: premature EOF', Code.Internal),
  );
  assert.equal(converted.code, Code.InvalidArgument);
  assert.equal(info.reason, 'MALFORMED_REQUEST');
  assert.deepEqual(reported, []);
});
