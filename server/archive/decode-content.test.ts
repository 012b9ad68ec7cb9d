import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import {
  ContentDecodingError,
  decodeContent,
  DECODE_FREE_BYTES,
  type ContentDecodingProblem,
} from './decode-content.ts';
import type { ByteChunks } from './gzip-member.ts';

const TEXT = Buffer.from('A sentence that repeats itself, a sentence that repeats itself. '.repeat(300));

async function decode(
  body: ByteChunks,
  contentEncoding: string[],
  limits: Parameters<typeof decodeContent>[1] = {},
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of decodeContent({ body, contentEncoding }, limits)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function assertProblem(reading: Promise<unknown>, problem: ContentDecodingProblem): Promise<void> {
  await assert.rejects(
    reading,
    (error) => error instanceof ContentDecodingError && error.problem === problem,
  );
}

function slice(bytes: Uint8Array, length: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
    bytes.subarray(at * length, (at + 1) * length),
  );
}

const ENCODED: [name: string, bytes: Buffer][] = [
  ['gzip', gzipSync(TEXT)],
  ['X-GZIP', gzipSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['deflate', deflateRawSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['zstd', zstdCompressSync(TEXT)],
  ['identity', TEXT],
  ['', TEXT],
];

test('every coding that we ask for comes off, whatever pieces the body arrives in', async () => {
  for (const [name, bytes] of ENCODED) {
    for (const length of [1, 1000, bytes.length]) {
      assert.deepEqual(await decode(slice(bytes, length), [name]), TEXT, `${name} by ${length}`);
    }
  }
});

test('the codings of a chain come off from the last to the first, over one line or several', async () => {
  const bytes = brotliCompressSync(gzipSync(TEXT));
  assert.deepEqual(await decode([bytes], ['gzip, br']), TEXT);
  assert.deepEqual(await decode([bytes], ['gzip', 'br']), TEXT);
});

test('a body that was cut gives what it holds', async () => {
  for (const [name, bytes] of ENCODED) {
    const decoded = await decode([bytes.subarray(0, bytes.length - 9)], [name]);
    assert.deepEqual(decoded, TEXT.subarray(0, decoded.length), name);
  }
  const cut = gzipSync(Buffer.from(Array.from({ length: 50_000 }, (_, at) => (at * 7919) >> 3)));
  assert.ok((await decode([cut.subarray(0, cut.length / 2)], ['gzip'])).length > 1000);
});

test('an empty body is empty in every coding', async () => {
  for (const [name] of ENCODED) assert.equal((await decode([], [name])).length, 0, name);
  assert.equal((await decode([new Uint8Array()], ['gzip'])).length, 0);
});

test('a body that unpacks to more than a hundred times its length is refused before it is unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  assert.ok(bomb.length * 100 < 50_000_000);
  let bytes = 0;
  const reading = (async () => {
    for await (const chunk of decodeContent({ body: [bomb], contentEncoding: ['gzip'] }))
      bytes += chunk.length;
  })();
  await assertProblem(reading, 'TOO_LARGE');
  assert.ok(bytes <= Math.max(bomb.length * 100, DECODE_FREE_BYTES));
});

test('a bomb inside a coding is refused though the outermost step is small', async () => {
  const inner = gzipSync(Buffer.alloc(200_000_000));
  await assertProblem(decode([gzipSync(inner)], ['gzip, gzip']), 'TOO_LARGE');
});

test('a body may be no longer than its bound, whatever the ratio', async () => {
  await assertProblem(decode([gzipSync(TEXT)], ['gzip'], { bytesMax: TEXT.length - 1 }), 'TOO_LARGE');
  assert.equal((await decode([gzipSync(TEXT)], ['gzip'], { bytesMax: TEXT.length })).length, TEXT.length);
});

test('a short page of blanks is no bomb', async () => {
  const blanks = Buffer.alloc(DECODE_FREE_BYTES, ' ');
  const bytes = gzipSync(blanks);
  assert.ok(bytes.length * 100 < blanks.length);
  assert.deepEqual(await decode([bytes], ['gzip']), blanks);
});

test('bytes that are not in the coding, and codings that nobody knows, are told apart', async () => {
  for (const name of ['gzip', 'br', 'zstd']) await assertProblem(decode([TEXT], [name]), 'MALFORMED');
  await assertProblem(decode([Buffer.from('\xff\xff\xff\xff', 'latin1')], ['deflate']), 'MALFORMED');
  await assertProblem(decode([TEXT], ['compress']), 'UNKNOWN_CODING');
  await assertProblem(decode([TEXT], ['gzip,gzip,gzip,gzip']), 'TOO_LARGE');
});

test('what cannot be read is not called malformed, and reading stops with the reader', async () => {
  const broken = (async function* () {
    yield gzipSync(TEXT).subarray(0, 20);
    await Promise.resolve();
    throw new Error('the disk is gone');
  })();
  await assert.rejects(decode(broken, ['gzip']), /the disk is gone/);

  let ended = false;
  const endless = (function* () {
    try {
      for (;;) yield new Uint8Array(1000);
    } finally {
      ended = true;
    }
  })();
  for await (const chunk of decodeContent({ body: endless, contentEncoding: [] })) {
    assert.equal(chunk.length, 1000);
    break;
  }
  assert.ok(ended);
});
