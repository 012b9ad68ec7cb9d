import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationFromMs } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from '@decorum/proto/google/rpc/error_details_pb.ts';
import { DecorumError, isLasting, toDecorumError } from './decorum-error.ts';

test("a server's error keeps its reason, field, pause, data and text", () => {
  const error = toDecorumError(
    new ConnectError('URL 3 is too long; shorten it', Code.InvalidArgument, undefined, [
      {
        desc: ErrorInfoSchema,
        value: { reason: 'URL_TOO_LONG', domain: 'decorum', metadata: { limit: '2048' } },
      },
      { desc: BadRequestSchema, value: { fieldViolations: [{ field: 'requests[3].url' }, { field: 'x' }] } },
      { desc: RetryInfoSchema, value: { retryDelay: durationFromMs(2_500) } },
    ]),
  );
  assert.equal(error.code, 'invalid_argument');
  assert.equal(error.reason, 'URL_TOO_LONG');
  assert.equal(error.field, 'requests[3].url');
  assert.equal(error.retryAfterMs, 2_500);
  assert.deepEqual(error.metadata, { limit: '2048' });
  assert.equal(error.message, 'URL 3 is too long; shorten it');
});

test('an error that was made on this side says what to do', () => {
  const error = toDecorumError(new ConnectError('connect ECONNREFUSED 127.0.0.1:7070.', Code.Unavailable));
  assert.equal(error.reason, 'UNREACHABLE');
  assert.match(
    error.message,
    /^connect ECONNREFUSED 127\.0\.0\.1:7070\. Check that the platform runs \(npm start\)/,
  );
  assert.equal(toDecorumError(new ConnectError('', Code.Unauthenticated)).reason, 'UNAUTHENTICATED');
  assert.equal(toDecorumError(error), error);
});

test('whatever is thrown becomes one, with its cause', () => {
  const cause = new RangeError('odd');
  const error = toDecorumError(cause);
  assert.ok(error instanceof DecorumError);
  assert.equal(error.code, 'unknown');
  assert.ok(error.cause instanceof RangeError);
});

test('what repeating can cure is not lasting', () => {
  const of = (code: Code) => isLasting(toDecorumError(new ConnectError('', code)));
  assert.deepEqual([Code.Unavailable, Code.DeadlineExceeded, Code.Unknown].map(of), [false, false, false]);
  assert.deepEqual([Code.Unauthenticated, Code.NotFound, Code.ResourceExhausted].map(of), [true, true, true]);
});
