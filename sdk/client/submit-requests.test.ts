import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect } from '@decorum/test/support/sdk/collect.ts';
import { create } from '@bufbuild/protobuf';
import { durationFromMs } from '@bufbuild/protobuf/wkt';
import type { SubmitRequest } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import {
  SubmitRequestSchema,
  SubmitResponseSchema,
} from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import { RefusalReason, SubmitStatus } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import { DecorumError } from './decorum-error.ts';
import type { FetchInput } from './fetch-input.ts';
import { submitRequests } from './submit-requests.ts';

type Client = Parameters<typeof submitRequests>[0];

/** A client that keeps what it was sent; the first `errors.length` calls fail. */
function recordingClient(errors: DecorumError[] = []) {
  const sent: SubmitRequest[] = [];
  const client: Client = {
    submit: async (request) => {
      const message = create(SubmitRequestSchema, request);
      sent.push(message);
      const error = errors.shift();
      if (error !== undefined) throw error;
      return create(SubmitResponseSchema, {
        outcomes: message.requests.map(({ url }) =>
          url.startsWith('bad:')
            ? {
                status: SubmitStatus.REFUSED,
                refusal: RefusalReason.INVALID_URL,
                detail: 'no',
                field: 'url',
                retryAfter: durationFromMs(1_500),
              }
            : { status: SubmitStatus.ACCEPTED, requestId: `id of ${url}` },
        ),
      });
    },
  };
  return { sent, client };
}

const urls = (count: number) => Array.from({ length: count }, (_, i) => `https://a.test/${i}`);
const busy = (code: 'unavailable' | 'resource_exhausted', retryAfterMs?: number) =>
  new DecorumError({ code, reason: 'BUSY', message: 'busy', retryAfterMs });

test('outcomes come in order, one per URL, in batches of a thousand', async () => {
  const { sent, client } = recordingClient();
  const outcomes = await collect(submitRequests(client, urls(2_500)));
  assert.deepEqual(
    sent.map(({ requests }) => requests.length),
    [1_000, 1_000, 500],
  );
  assert.equal(new Set(sent.map(({ requestId }) => requestId)).size, 3);
  assert.deepEqual(
    outcomes.map(({ index, requestId }) => `${index} ${requestId ?? ''}`),
    urls(2_500).map((url, i) => `${i} id of ${url}`),
  );
});

test('a refusal says why, in plain words and numbers', async () => {
  const { client } = recordingClient();
  assert.deepEqual(await collect(submitRequests(client, ['bad:1'])), [
    {
      index: 0,
      url: 'bad:1',
      status: 'REFUSED',
      refusal: 'INVALID_URL',
      detail: 'no',
      field: 'url',
      retryAfterMs: 1_500,
    },
  ]);
});

test('nothing is sent before an outcome is asked for, and nothing ahead of the loop', async () => {
  const { sent, client } = recordingClient();
  const outcomes = submitRequests(client, urls(10), { batchSize: 2 });
  assert.equal(sent.length, 0);
  await outcomes.next();
  await outcomes.next();
  assert.equal(sent.length, 1);
  await outcomes.return();
  assert.equal(sent.length, 1);
});

test('a batch is repeated under its id while the platform can not take it, up to the patience', async () => {
  const { sent, client } = recordingClient([busy('unavailable', 0), busy('resource_exhausted', 0)]);
  await collect(submitRequests(client, urls(1)));
  assert.equal(sent.length, 3);
  assert.equal(new Set(sent.map(({ requestId }) => requestId)).size, 1);

  const impatient = recordingClient([busy('unavailable', 60_000)]);
  await assert.rejects(collect(submitRequests(impatient.client, urls(1), { patienceMs: 1_000 })), {
    reason: 'BUSY',
  });
  const hasty = recordingClient([busy('resource_exhausted', 0), busy('unavailable')]);
  await assert.rejects(collect(submitRequests(hasty.client, urls(1), { failFast: true })), {
    reason: 'BUSY',
  });
  assert.equal(hasty.sent.length, 2);
  const spent = recordingClient([busy('resource_exhausted')]);
  await assert.rejects(collect(submitRequests(spent.client, urls(1))), { reason: 'BUSY' });
  assert.equal(spent.sent.length, 1);
});

test('options travel as the contract has them', async () => {
  const { sent, client } = recordingClient();
  const input: FetchInput = {
    url: 'https://a.test/',
    band: 0,
    reason: 'RECRAWL',
    tier: 'hourly',
    label: 'job',
    notBefore: new Date('2030-01-01T00:00:00Z'),
    deadline: new Date('2030-01-02T00:00:00.500Z'),
    maxAgeMs: 90_500,
    onlyIfNew: true,
    maxBodyBytes: 67_108_864,
    extract: ['LINKS', 'RENDERING_HINT'],
    clientRef: 'ä',
  };
  await collect(submitRequests(client, [input]));
  const [request] = sent[0]?.requests ?? [];
  assert.equal(request?.band, 0);
  assert.equal(request.reason, 2);
  assert.equal(request.notBefore?.seconds, 1_893_456_000n);
  assert.equal(request.deadline?.nanos, 500_000_000);
  assert.deepEqual([request.maxAge?.seconds, request.maxAge?.nanos], [90n, 500_000_000]);
  assert.equal(request.maxBodyBytes, 67_108_864n);
  assert.deepEqual(request.extract, [1, 6]);
  assert.deepEqual([...request.clientRef], [0xc3, 0xa4]);
  assert.deepEqual([request.tier, request.label, request.onlyIfNew], ['hourly', 'job', true]);
});

test('an option that no message can hold is an error that names it', async () => {
  const { sent, client } = recordingClient();
  for (const [field, bad] of [
    ['maxAgeMs', { maxAgeMs: -1 }],
    ['band', { band: 1.5 }],
    ['deadline', { deadline: new Date('x') }],
    ['extract', { extract: ['WORDS'] as unknown as [] }],
    ['reason', { reason: 'UNSPECIFIED' as unknown as 'FEED' }],
  ] as const) {
    await assert.rejects(collect(submitRequests(client, [{ url: 'u', ...bad }])), {
      code: 'invalid_argument',
      field,
    });
  }
  await assert.rejects(collect(submitRequests(client, ['u'], { batchSize: 1_001 })), {
    field: 'batchSize',
  });
  assert.equal(sent.length, 0);
});
