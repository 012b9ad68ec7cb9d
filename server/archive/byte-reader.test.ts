import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createByteReader } from './byte-reader.ts';

/** A reader on a text that comes in pieces of a given length. */
function readerOf(text: string, pieceBytes: number) {
  const bytes = Buffer.from(text);
  let start = 0;
  return createByteReader(async () => {
    const piece = bytes.subarray(start, (start += pieceBytes));
    return piece.length > 0 ? piece : null;
  });
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

test('heads and bodies come apart in the same places however the bytes arrive', async () => {
  const text = 'a: 1\r\n\r\nb: 2\n\nbody\r\n\r\nrest';
  for (let pieceBytes = 1; pieceBytes <= text.length; pieceBytes += 1) {
    const reader = readerOf(text, pieceBytes);
    assert.equal((await reader.readHead(100))?.toString(), 'a: 1\r\n\r\n');
    assert.equal((await reader.readHead(100))?.toString(), 'b: 2\n\n');
    assert.equal(await collect(reader.take(8)), 'body\r\n\r\n');
    assert.equal(await collect(reader.take(0)), '');
    assert.equal(await collect(reader.take(100)), 'rest');
    assert.equal(await reader.readHead(100), null);
  }
});

test('a head that is longer than allowed is not read, and its bytes are still there', async () => {
  for (const pieceBytes of [1, 4, 100]) {
    const reader = readerOf('a: 1\r\n\r\nrest', pieceBytes);
    assert.equal(await reader.readHead(7), null);
    assert.equal((await reader.readHead(8))?.length, 8);
    assert.equal(await collect(reader.take(4)), 'rest');
  }
});
