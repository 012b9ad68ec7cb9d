import { crc32 } from 'node:zlib';
import {
  GZIP_HEADER,
  GZIP_TRAILER_BYTES,
  STORED_BLOCK_BYTES_MAX,
  STORED_BLOCK_OVERHEAD_BYTES,
  toGzipTrailer,
  toStoredBlockHeader,
} from './gzip-framing.ts';
import { isUuid } from './record-id.ts';
import { formatWarcHeader } from './warc-header.ts';

/** The shortest member that a tombstone can replace; the shortest real record is about twice as long. */
export const TOMBSTONE_BYTES_MIN = 223;

const RECORD_END = Buffer.from('\r\n\r\n');
const NOTICE = Buffer.from('erased');

/**
 * The gzip member that overwrites an erased one: exactly `length` bytes, so that every other offset in the
 * file stays true, and the same bytes at every try. Its content is a WARC record of type `metadata`, the one
 * type that needs no `WARC-Target-URI` and has no payload (WARC 1.1 §6.6), of media type text/plain: the word
 * `erased`, padded with spaces. Deflate's stored blocks make the length exact.
 *
 * `recordId` (a UUID) and `date` are the erasure's. Yields at most 64 KiB at a time. Throws a RangeError
 * below `TOMBSTONE_BYTES_MIN`.
 */
export function* buildTombstone(input: {
  length: number;
  recordId: string;
  date: Date;
}): Generator<Uint8Array, void> {
  if (!Number.isSafeInteger(input.length) || input.length < TOMBSTONE_BYTES_MIN) {
    throw new RangeError(`a tombstone has at least ${TOMBSTONE_BYTES_MIN} bytes`);
  }
  if (!isUuid(input.recordId)) throw new RangeError('a record id is a lower-case UUID');
  const deflateBytes = input.length - GZIP_HEADER.length - GZIP_TRAILER_BYTES;
  const blocks = Math.ceil(deflateBytes / (STORED_BLOCK_BYTES_MAX + STORED_BLOCK_OVERHEAD_BYTES));
  const recordBytes = deflateBytes - blocks * STORED_BLOCK_OVERHEAD_BYTES;
  const header = fitHeader(input.recordId, input.date, recordBytes);

  yield GZIP_HEADER;
  let crc = 0;
  for (let block = 0, start = 0; block < blocks; block += 1) {
    const content = Buffer.alloc(Math.min(STORED_BLOCK_BYTES_MAX, recordBytes - start), ' ');
    overlay(content, start, header, 0);
    overlay(content, start, NOTICE, header.length);
    overlay(content, start, RECORD_END, recordBytes - RECORD_END.length);
    crc = crc32(content, crc);
    start += content.length;
    yield toStoredBlockHeader(content.length, block === blocks - 1);
    yield content;
  }
  yield toGzipTrailer(crc, recordBytes);
}

/**
 * The header of a record of `recordBytes` in all. Where one more digit of `Content-Length` would overshoot
 * (99 bytes of block are one too few, 100 one too many), a second space before the number fills the gap.
 */
function fitHeader(recordId: string, date: Date, recordBytes: number): Buffer {
  const withLength = (contentLength: string) =>
    formatWarcHeader([
      ['WARC-Type', 'metadata'],
      ['WARC-Record-ID', `<urn:uuid:${recordId}>`],
      ['WARC-Date', date.toISOString()],
      ['Content-Type', 'text/plain'],
      ['Content-Length', contentLength],
    ]);
  const room = recordBytes - withLength('').length - RECORD_END.length;
  const digits = String(room).length;
  return withLength(String(room - digits).padStart(digits));
}

/** Copies the part of `bytes`, which lie at `at` in the record, that falls into the block begun at `start`. */
function overlay(block: Buffer, start: number, bytes: Uint8Array, at: number): void {
  const from = Math.max(at, start);
  const to = Math.min(at + bytes.length, start + block.length);
  if (from < to) block.set(bytes.subarray(from - at, to - at), from - start);
}
