import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Code, ConnectError } from '@connectrpc/connect';
import { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import { CrawlService } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import { FetchService } from '@decorum/proto/decorum/fetch/v1/fetch_service_pb.ts';
import { RetryInfoSchema } from '@decorum/proto/google/rpc/error_details_pb.ts';
import { durationFromMs } from '@bufbuild/protobuf/wkt';
import { backoffMs, retrySafely } from './retry-safely.ts';
import { isSafeMethod } from './safe-methods.ts';

const limits = { attemptsMax: 3, deadlineAt: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
const unavailableFor = (delayMs: number) =>
  new ConnectError('later', Code.Unavailable, undefined, [
    { desc: RetryInfoSchema, value: { retryDelay: durationFromMs(delayMs) } },
  ]);

/** Fails `failures` times with `error`, then answers the number of tries. */
function flaky(failures: number, error: Error) {
  let tries = 0;
  return async () => {
    tries += 1;
    if (tries <= failures) throw error;
    return tries;
  };
}

test('reads and calls with an id may be repeated; Lease and CreateKey may not', () => {
  const { submit, getQuota } = CrawlService.method;
  const { complete, renew, lease } = FetchService.method;
  assert.deepEqual(
    [submit, getQuota, complete, renew, lease, TenantService.method.createKey].map(isSafeMethod),
    [true, true, true, true, false, false],
  );
});

test('a safe call is repeated at the pace that the server asks for, up to the limit', async () => {
  assert.equal(await retrySafely(CrawlService.method.submit, limits, flaky(2, unavailableFor(0))), 3);
  await assert.rejects(retrySafely(CrawlService.method.submit, limits, flaky(3, unavailableFor(0))), {
    code: Code.Unavailable,
  });
});

test('other errors, unsafe calls and pauses beyond the deadline end at once', async () => {
  const { submit } = CrawlService.method;
  const refused = new ConnectError('no', Code.PermissionDenied);
  await assert.rejects(retrySafely(submit, limits, flaky(1, refused)), refused);
  await assert.rejects(retrySafely(TenantService.method.createKey, limits, flaky(1, unavailableFor(0))), {
    code: Code.Unavailable,
  });
  await assert.rejects(
    retrySafely(submit, { ...limits, deadlineAt: Date.now() + 1_000 }, flaky(1, unavailableFor(60_000))),
    {
      code: Code.Unavailable,
    },
  );
});

test('an abort ends the pause', async () => {
  const abort = new AbortController();
  const call = retrySafely(
    CrawlService.method.submit,
    { ...limits, signal: abort.signal },
    flaky(1, unavailableFor(60_000)),
  );
  abort.abort();
  await assert.rejects(call, { name: 'AbortError' });
});

test('the pause grows from 100 ms to 3 s, give or take a fifth', () => {
  assert.deepEqual(
    [1, 2, 3, 9].map((attempts) => backoffMs(attempts, 0.5)),
    [100, 250, 625, 3_000],
  );
  assert.deepEqual([backoffMs(9, 0), backoffMs(1, 1)], [2_400, 120]);
});
