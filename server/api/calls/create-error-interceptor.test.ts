import { create } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  createContextValues,
  type StreamResponse,
  type UnaryRequest,
  type UnaryResponse,
} from '@connectrpc/connect';
import {
  ListPurposesRequestSchema,
  TenantService,
} from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import { ErrorInfoSchema } from '@decorum/proto/google/rpc/error_details_pb.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answeredKey } from './create-call-observer.ts';
import { createErrorInterceptor } from './create-error-interceptor.ts';

const intercept = createErrorInterceptor(() => 'error-1');

function call(signal: AbortSignal) {
  return {
    stream: false,
    service: TenantService,
    method: TenantService.method.listPurposes,
    message: create(ListPurposesRequestSchema),
    header: new Headers(),
    contextValues: createContextValues(),
    requestMethod: 'POST',
    url: 'http://127.0.0.1/',
    signal,
  } satisfies UnaryRequest;
}

const NEVER = new Promise<never>(() => undefined);
const reasonOf = (error: unknown) =>
  error instanceof ConnectError ? error.findDetails(ErrorInfoSchema).map(({ reason }) => reason) : error;

test('a handler that does not look at its signal is left behind at the deadline', async () => {
  const deadline = new AbortController();
  const answer = intercept(() => NEVER)(call(deadline.signal));
  deadline.abort(new ConnectError('too late', Code.DeadlineExceeded));
  await assert.rejects(answer, (error) => {
    assert.deepEqual(reasonOf(error), ['DEADLINE_EXCEEDED']);
    return true;
  });
});

test('what a handler throws because its caller left is CANCELLED, not INTERNAL', async () => {
  const left = new AbortController();
  const request = call(left.signal);
  const answer = intercept(async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    throw new DOMException('query cancelled', 'AbortError');
  })(request);
  left.abort();
  await assert.rejects(answer, (error: ConnectError) => error.code === Code.Canceled);
  assert.equal(request.contextValues.get(answeredKey), false);
});

test('a stream that fails midway delivers what came before, then a converted error', async () => {
  const request = call(new AbortController().signal);
  async function* messages() {
    yield create(ListPurposesRequestSchema);
    throw new TypeError('secret');
  }
  const response = { stream: true, message: messages() } as unknown as StreamResponse;
  const answer = await intercept(async () => response)(request);
  const received: unknown[] = [];
  await assert.rejects(async () => {
    for await (const message of answer.message as AsyncIterable<unknown>) received.push(message);
  }, /errorId/);
  assert.equal(received.length, 1);
  assert.equal(request.contextValues.get(answeredKey), false);
});

test('a stream that its handler does not end is ended with the call, and its handler is told', async () => {
  const left = new AbortController();
  let isReturned = false;
  const stuck: AsyncIterableIterator<never> = {
    next: () => NEVER,
    async return() {
      isReturned = true;
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => stuck,
  };
  const response = { stream: true, message: stuck } as unknown as StreamResponse;
  const answer = await intercept(async () => response)(call(left.signal));
  const first = (answer.message as AsyncIterable<unknown>)[Symbol.asyncIterator]().next();
  left.abort();
  await assert.rejects(first, (error: ConnectError) => error.code === Code.Canceled);
  assert.equal(isReturned, true);
});

test('a call that was answered is marked as such', async () => {
  const request = call(new AbortController().signal);
  await intercept(async () => ({ stream: false }) as unknown as UnaryResponse)(request);
  assert.equal(request.contextValues.get(answeredKey), true);
});
