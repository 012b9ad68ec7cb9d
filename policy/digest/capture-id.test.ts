import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { buildCaptureId, captureIdTimeMs, CAPTURE_ID_RANDOM_BYTES } from './capture-id.ts';

const random = fc.uint8Array({ minLength: CAPTURE_ID_RANDOM_BYTES, maxLength: CAPTURE_ID_RANDOM_BYTES });
const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const cell = fc.integer({ min: 0, max: 0xffff });

test('a capture id is a UUID of version 8 that begins with its cell and gives its time back', () => {
  fc.assert(
    fc.property(cell, time, random, (cellNumber, capturedAtMs, bytes) => {
      const id = buildCaptureId({ cell: cellNumber, capturedAtMs, random: bytes });
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.equal(Number.parseInt(id.slice(0, 4), 16), cellNumber);
      assert.equal(captureIdTimeMs(id), capturedAtMs);
    }),
  );
});

test('ids of one cell sort by time, whatever is random', () => {
  fc.assert(
    fc.property(time, time, random, random, (a, b, randomA, randomB) => {
      fc.pre(a < b);
      const idA = buildCaptureId({ cell: 7, capturedAtMs: a, random: randomA });
      const idB = buildCaptureId({ cell: 7, capturedAtMs: b, random: randomB });
      assert.ok(idA < idB);
    }),
  );
});

test('58 random bits tell captures of one millisecond apart', () => {
  const id = (bits: number) =>
    buildCaptureId({ cell: 0, capturedAtMs: 5, random: Uint8Array.from([bits, 0, 0, 0, 0, 0, 0, 0]) });
  assert.equal(new Set([0, 1, 2, 3].map(id)).size, 4);
  assert.equal(id(0), id(4), 'the six bits over are not used');
});

test('parts that do not fit are refused, and ids of other makes have no time', () => {
  const bytes = new Uint8Array(CAPTURE_ID_RANDOM_BYTES);
  for (const parts of [
    { cell: 0x10000, capturedAtMs: 0, random: bytes },
    { cell: 0, capturedAtMs: 2 ** 48, random: bytes },
    { cell: 0, capturedAtMs: 0.5, random: bytes },
    { cell: 0, capturedAtMs: 0, random: new Uint8Array(7) },
  ]) {
    assert.throws(() => buildCaptureId(parts), RangeError);
  }
  assert.equal(captureIdTimeMs('0190b8c0-0000-7000-8000-000000000000'), null);
  assert.equal(captureIdTimeMs(''), null);
});
