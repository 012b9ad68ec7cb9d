import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeBase32 } from './encode-base32.ts';

test('Base32 gives the vectors of RFC 4648 §10, without their padding', () => {
  const vectors = [
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ] as const;
  for (const [plain, encoded] of vectors) assert.equal(encodeBase32(Buffer.from(plain)), encoded);
});

test('Base32 carries the high bits of every byte value', () => {
  const bytes = Uint8Array.from({ length: 255 }, (_, index) => index + 1);
  const bits = Array.from(encodeBase32(bytes), (letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('');
  assert.deepEqual(
    Uint8Array.from({ length: 255 }, (_, index) => parseInt(bits.slice(index * 8, index * 8 + 8), 2)),
    bytes,
  );
});
