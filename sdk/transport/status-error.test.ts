import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Code } from '@connectrpc/connect';
import { Metadata, status as Status } from '@grpc/grpc-js';
import { toConnectError } from './status-error.ts';

const convert = (code: Status, details: string, metadata = new Metadata()) => {
  const error = toConnectError({ code, details, metadata }, new Headers());
  return { code: error.code, text: error.rawMessage, details: error.details.length };
};

test('codes are kept', () => {
  assert.deepEqual(convert(Status.NOT_FOUND, 'gone'), { code: Code.NotFound, text: 'gone', details: 0 });
});

test('what grpc-js leaves escaped is read; a bare percent sign stays', () => {
  assert.equal(convert(Status.INTERNAL, '50% %2C%3a %41 %zz %').text, '50% ,: %41 %zz %');
});

test('a stream without a status is a lost answer, UNAVAILABLE; a cancel of our own is not', () => {
  const lost = 'Received RST_STREAM with code 0 (Call ended without gRPC status)';
  assert.equal(convert(Status.INTERNAL, lost).code, Code.Unavailable);
  assert.equal(convert(Status.CANCELLED, 'Call cancelled').code, Code.Unavailable);
  assert.equal(convert(Status.CANCELLED, 'cancelled by the caller').code, Code.Canceled);
  assert.equal(convert(Status.INTERNAL, 'a bug').code, Code.Internal);
});

test('details that are no google.rpc.Status are left out', () => {
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', Buffer.from([0xff, 0xff, 0xff]));
  assert.deepEqual(convert(Status.ABORTED, 'text', metadata), {
    code: Code.Aborted,
    text: 'text',
    details: 0,
  });
});
