import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PIECE_BYTES_MAX, regroup } from './regroup.ts';

async function* chunksOf(sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let value = 0;
  for (const size of sizes) yield Uint8Array.from({ length: size }, () => (value = (value + 1) % 251));
}

async function sizesAfter(sizes: readonly number[]): Promise<number[]> {
  const pieces: Uint8Array[] = [];
  const whole: Uint8Array[] = [];
  for await (const piece of regroup(chunksOf(sizes))) pieces.push(piece);
  for await (const chunk of chunksOf(sizes)) whole.push(chunk);
  assert.ok(Buffer.concat(pieces).equals(Buffer.concat(whole)));
  return pieces.map(({ length }) => length);
}

const KIB = 1024;

test('short chunks are put together, long ones cut, and no byte is lost', async () => {
  assert.deepEqual(await sizesAfter([]), []);
  assert.deepEqual(await sizesAfter([0, 10, 0, 20]), [30]);
  assert.deepEqual(await sizesAfter([40 * KIB, 40 * KIB, 5]), [80 * KIB, 5]);
  assert.deepEqual(await sizesAfter([PIECE_BYTES_MAX]), [PIECE_BYTES_MAX]);
  assert.deepEqual(await sizesAfter([60 * KIB, 2 * PIECE_BYTES_MAX]), [
    PIECE_BYTES_MAX,
    PIECE_BYTES_MAX,
    60 * KIB,
  ]);
});
