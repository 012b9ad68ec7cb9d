/** Random bytes that a capture id is made with; 58 bits of them are used. */
export const CAPTURE_ID_RANDOM_BYTES = 8;

/** Cells are numbered up to here. */
export const CELL_MAX = 0xffff;

/**
 * Builds a capture's id, a UUIDv8 (RFC 9562 §5.8) in lower case: 16 bits cell, 48 bits `capturedAtMs` (Unix epoch, whole
 * milliseconds), 58 random bits, with version and variant in their places between. Ids of one cell sort by time. Throws a
 * RangeError when a part does not fit.
 */
export function buildCaptureId(parts: { cell: number; capturedAtMs: number; random: Uint8Array }): string {
  const { cell, capturedAtMs, random } = parts;
  if (!Number.isInteger(cell) || cell < 0 || cell > CELL_MAX) throw new RangeError('a cell has 16 bits');
  if (!Number.isInteger(capturedAtMs) || capturedAtMs < 0 || capturedAtMs >= 2 ** 48) {
    throw new RangeError('a capture time has 48 bits');
  }
  if (random.length !== CAPTURE_ID_RANDOM_BYTES) throw new RangeError('a capture id takes 8 random bytes');
  const time = BigInt(capturedAtMs);
  const high = (BigInt(cell) << 48n) | ((time >> 16n) << 16n) | VERSION_8 | ((time >> 4n) & 0xfffn);
  const low = VARIANT | ((time & 0xfn) << 58n) | (toBigInt(random) & RANDOM_BITS);
  const hex = high.toString(16).padStart(16, '0') + low.toString(16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** When the capture with this id was made, in milliseconds of the Unix epoch; null when `buildCaptureId` made no such id. */
export function captureIdTimeMs(captureId: string): number | null {
  const match = /^[0-9a-f]{4}([0-9a-f]{4})-([0-9a-f]{4})-8([0-9a-f]{3})-([89ab][0-9a-f])/.exec(captureId);
  if (match === null) return null;
  const [, first = '', second = '', third = '', last = ''] = match;
  const lowest = (Number.parseInt(last, 16) >> 2) & 0xf;
  return Number.parseInt(first + second + third + lowest.toString(16), 16);
}

const VERSION_8 = 0x8000n;
const VARIANT = 0x8n << 60n;
const RANDOM_BITS = (1n << 58n) - 1n;

function toBigInt(bytes: Uint8Array): bigint {
  return bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}
