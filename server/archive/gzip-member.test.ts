import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { deflateMember, deflateMemberStream, storeMember, type ByteChunks } from './gzip-member.ts';

const TAIL = Buffer.from('\r\n\r\n');
const HEAD = Buffer.from('WARC/1.1\r\nWARC-Type: response\r\n'.repeat(20));

async function collect(chunks: ByteChunks): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

test('a stored body of any length is read back by gunzip', async () => {
  for (const bytes of [0, 1, 65_534, 65_535, 65_536, 131_070, 131_071, 400_000]) {
    const body = randomBytes(bytes);
    const pieces = [body.subarray(0, bytes >> 1), body.subarray(bytes >> 1)];
    const member = await collect(storeMember(HEAD, pieces, TAIL));
    assert.deepEqual(gunzipSync(member), Buffer.concat([HEAD, body, TAIL]), `${bytes} bytes`);
  }
});

test('a head of any length before a stored body is read back', async () => {
  for (const bytes of [1, 4_096, 4_097, 256 * 1024]) {
    const head = Buffer.alloc(bytes, 'X-Field: value\r\n');
    const member = await collect(storeMember(head, [HEAD], TAIL));
    assert.deepEqual(gunzipSync(member), Buffer.concat([head, HEAD, TAIL]));
  }
});

test('the bytes of a stored body are in the member as they came, and its head is compressed', async () => {
  const body = randomBytes(50_000);
  const member = await collect(storeMember(HEAD, [body], TAIL));
  assert.ok(member.includes(body));
  assert.ok(member.length < body.length + HEAD.length / 2, `${member.length} bytes`);
});

test('short, long and streamed records give one member each', async () => {
  for (const bytes of [0, 4_096, 4_097, 300_000]) {
    const record = Buffer.alloc(bytes, 'some text of a page ');
    assert.deepEqual(gunzipSync(await deflateMember(record)), record);
    const streamed = await collect(deflateMemberStream([record.subarray(0, 100), record.subarray(100)]));
    assert.deepEqual(gunzipSync(streamed), record);
  }
});

test('an error of the body reaches who reads the member', async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(100_000);
    throw new Error('the disk is gone');
  }
  await assert.rejects(collect(deflateMemberStream(failing())), /the disk is gone/);
  await assert.rejects(collect(storeMember(HEAD, failing(), TAIL)), /the disk is gone/);
});
