import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createBufferedReadAt, createReadAt } from './read-at.ts';

/** A file in memory that gives at most so many bytes a call, and counts the calls. */
function createFile(content: Uint8Array, bytesAtOnce: number) {
  let reads = 0;
  const read = async (target: Uint8Array, offset: number, length: number, position: number) => {
    reads += 1;
    const bytes = content.subarray(position, position + Math.min(length, bytesAtOnce));
    target.set(bytes, offset);
    return { bytesRead: bytes.length, buffer: target };
  };
  return { file: { read } as unknown as Parameters<typeof createReadAt>[0], reads: () => reads };
}

const CONTENT = randomBytes(700_000);
const RANGES = [
  [0, 10],
  [5, 65_541],
  [65_541, 131_077],
  [200_000, 300_000],
  [100, 200],
  [650_000, 700_000],
  [699_990, 800_000],
  [700_000, 700_010],
  [900_000, 900_010],
  [0, 700_000],
] as const;

test('a range is the same bytes, read at each call or from a buffer, in short reads or long ones', async () => {
  for (const bytesAtOnce of [1_000, 1_000_000]) {
    const { file } = createFile(CONTENT, bytesAtOnce);
    for (const readAt of [createReadAt(file), createBufferedReadAt(file, CONTENT.length)]) {
      for (const [start, end] of RANGES) {
        assert.ok((await readAt(start, end)).equals(CONTENT.subarray(start, end)), `${start} to ${end}`);
      }
    }
  }
});

test('going through a file in small steps reads it in large ones', async () => {
  const { file, reads } = createFile(CONTENT, 1_000_000);
  const readAt = createBufferedReadAt(file, CONTENT.length);
  for (let start = 0; start < CONTENT.length; start += 1_000) await readAt(start, start + 65_536);
  assert.ok(reads() < 6, `${reads()} reads`);
});

test('what was given stays as it is when the buffer moves on', async () => {
  const { file } = createFile(CONTENT, 1_000_000);
  const readAt = createBufferedReadAt(file, CONTENT.length);
  const early = await readAt(0, 100);
  await readAt(400_000, 400_100);
  assert.ok(early.equals(CONTENT.subarray(0, 100)));
});
