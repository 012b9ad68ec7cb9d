import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeAll } from './write-all.ts';

/** A file that takes at most so many bytes at a time. */
function createShortFile(bytesAtOnce: number) {
  const content: number[] = [];
  const take = (bytes: Uint8Array, position: number) => {
    const taken = bytes.subarray(0, bytesAtOnce);
    content.splice(position, taken.length, ...taken);
    return { bytesWritten: taken.length };
  };
  return {
    text: () => Buffer.from(content).toString(),
    file: {
      writev: async (chunks: Uint8Array[], position: number) => take(Buffer.concat(chunks), position),
      write: async (bytes: Uint8Array, offset: number, length: number, position: number) =>
        take(bytes.subarray(offset, offset + length), position),
    } as unknown as Parameters<typeof writeAll>[0],
  };
}

test('short writes are continued until every byte is in place', async () => {
  const chunks = [Buffer.from('one '), Buffer.from(''), Buffer.from('two '), Buffer.from('three')];
  for (const bytesAtOnce of [1, 3, 5, 100]) {
    const { file, text } = createShortFile(bytesAtOnce);
    assert.equal(await writeAll(file, [Buffer.from('> ')], 0), 2);
    assert.equal(await writeAll(file, chunks, 2), 15);
    assert.equal(text(), '> one two three');
  }
});

test('a file that takes nothing is an error, not an endless loop', async () => {
  await assert.rejects(writeAll(createShortFile(0).file, [Buffer.from('x')], 0), /takes no more bytes/);
});

test('nothing to write is written without a call', async () => {
  assert.equal(await writeAll({} as Parameters<typeof writeAll>[0], [Buffer.alloc(0)], 7), 7);
});
