import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect } from '@decorum/test/support/sdk/collect.ts';
import { create } from '@bufbuild/protobuf';
import { BodyCoding, ReadBodyResponseSchema } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import { openBody } from './body.ts';
import { DecorumError } from './decorum-error.ts';

type Client = Parameters<typeof openBody>[0];

function clientOf(...reads: (Uint8Array | DecorumError)[][]) {
  const seen: unknown[] = [];
  const client: Client = {
    readBody: async function* (request) {
      seen.push(request);
      for (const step of reads[seen.length - 1] ?? []) {
        if (step instanceof DecorumError) throw step;
        yield create(ReadBodyResponseSchema, { chunk: step });
      }
    },
  };
  return { seen, client };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const cut = new DecorumError({ code: 'unavailable', reason: 'UNREACHABLE', message: 'cut' });

test('a body is read in pieces or whole, decoded unless said', async () => {
  const { seen, client } = clientOf([bytes('ab'), bytes(''), bytes('c')], [bytes('abc')], [bytes('\u00e4')]);
  const pieces = await collect(openBody(client, 'c1'));
  assert.deepEqual(pieces, [bytes('ab'), bytes('c')]);
  assert.equal(Buffer.from(await openBody(client, 'c1', { coding: 'raw' }).bytes()).toString(), 'abc');
  assert.equal(await openBody(client, 'c1').text('windows-1252'), '\u00c3\u00a4');
  assert.deepEqual(seen, [
    { captureId: 'c1', coding: BodyCoding.DECODED },
    { captureId: 'c1', coding: BodyCoding.RAW },
    { captureId: 'c1', coding: BodyCoding.DECODED },
  ]);
});

test('a whole body that was cut off is read again from its start; pieces are not', async () => {
  const { client } = clientOf([bytes('ab'), cut], [bytes('ab'), bytes('c')], [bytes('ab'), cut]);
  assert.equal(await openBody(client, 'c1').text(), 'abc');
  await assert.rejects(collect(openBody(client, 'c1')), cut);
});

test('a body over the limit is not taken whole', async () => {
  const { client } = clientOf([bytes('abc')], [bytes('abc'), bytes('d')]);
  assert.equal((await openBody(client, 'c1').bytes(3)).length, 3);
  await assert.rejects(openBody(client, 'c1').bytes(3), { reason: 'BODY_TOO_LARGE' });
});
