import { Readable } from 'node:stream';
import { crc32, createInflateRaw, inflateRawSync, type InflateRaw } from 'node:zlib';
import { ArchiveDamageError } from './archive-damage.ts';
import { GZIP_HEADER, GZIP_TRAILER_BYTES } from './gzip-framing.ts';
import type { ReadAt } from './read-at.ts';

const READ_BYTES = 65_536;

/** The longest piece of content that is yielded. */
const PIECE_BYTES_MAX = 256 * 1024;

/**
 * Yields the content of the gzip member at `offset`, which ends at `limit` at the latest, in pieces of at most
 * 256 KiB, and returns where it ends. Only members without the header's optional fields, as we write them, are
 * read. Throws an ArchiveDamageError `truncated` when `limit` comes first and `bad_gzip` for everything else,
 * a wrong checksum included: content is known to be whole only once the generator has returned.
 */
export async function* inflateMember(
  readAt: ReadAt,
  offset: number,
  limit: number,
): AsyncGenerator<Uint8Array, number> {
  const first = await readAt(offset, Math.min(offset + READ_BYTES, limit));
  if (!first.subarray(0, 4).equals(GZIP_HEADER.subarray(0, Math.min(4, first.length)))) {
    throw new ArchiveDamageError('bad_gzip', offset, 'no gzip header of ours');
  }
  const deflateStart = offset + GZIP_HEADER.length;
  const deflateData = first.subarray(GZIP_HEADER.length);

  let crc = 0;
  let bytes = 0;
  let deflateBytes = 0;
  try {
    const short = inflateShort(deflateData);
    if (short === null) {
      const inflater = createInflateRaw({ chunkSize: READ_BYTES });
      const rest = readRange(readAt, offset + first.length, limit);
      for await (const piece of inflateLong(inflater, deflateData, rest)) {
        crc = crc32(piece, crc);
        bytes += piece.length;
        yield piece;
      }
      deflateBytes = inflater.bytesWritten;
    } else {
      crc = crc32(short.content);
      bytes = short.content.length;
      deflateBytes = short.deflateBytes;
      yield short.content;
    }
  } catch (error) {
    throw toDamage(error, offset);
  }

  const trailerStart = deflateStart + deflateBytes;
  const end = trailerStart + GZIP_TRAILER_BYTES;
  const inHand = end <= offset + first.length;
  const trailer = inHand
    ? first.subarray(trailerStart - offset, end - offset)
    : await readAt(trailerStart, Math.min(end, limit));
  if (trailer.length < GZIP_TRAILER_BYTES) throw truncated(offset);
  if (trailer.readUInt32LE(0) !== crc || trailer.readUInt32LE(4) !== bytes % 2 ** 32) {
    throw new ArchiveDamageError('bad_gzip', offset, 'a wrong checksum');
  }
  return end;
}

/**
 * The content when all of it is in hand and short, else null. Most members are: without a stream around it,
 * inflating one takes a quarter of the time.
 */
function inflateShort(deflateData: Uint8Array): { content: Uint8Array; deflateBytes: number } | null {
  try {
    // With `info` the answer is this, which the type does not say.
    const { buffer, engine } = inflateRawSync(deflateData, {
      info: true,
      maxOutputLength: PIECE_BYTES_MAX,
    }) as unknown as { buffer: Buffer; engine: InflateRaw };
    return { content: buffer, deflateBytes: engine.bytesWritten };
  } catch (error) {
    const code = toCode(error);
    if (code === 'Z_BUF_ERROR' || code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw error;
  }
}

async function* inflateLong(
  inflater: InflateRaw,
  first: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  const source = Readable.from(chain(first, rest), { objectMode: false });
  source.on('error', (error) => inflater.destroy(error));
  source.pipe(inflater);
  try {
    yield* inflater as AsyncIterable<Buffer>;
  } finally {
    source.destroy();
    inflater.destroy();
  }
}

async function* chain(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

function truncated(offset: number): ArchiveDamageError {
  return new ArchiveDamageError('truncated', offset, 'the file ends inside a member');
}

/** What zlib says of the data becomes damage; an error of the file stays what it is. */
function toDamage(error: unknown, offset: number): unknown {
  const code = toCode(error);
  if (code === 'Z_BUF_ERROR') return truncated(offset);
  if (!code.startsWith('Z_')) return error;
  return new ArchiveDamageError('bad_gzip', offset, 'deflate data that cannot be read', error);
}

function toCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

async function* readRange(readAt: ReadAt, start: number, limit: number): AsyncGenerator<Uint8Array> {
  for (let position = start; position < limit;) {
    const chunk = await readAt(position, Math.min(position + READ_BYTES, limit));
    if (chunk.length === 0) return;
    position += chunk.length;
    yield chunk;
  }
}
