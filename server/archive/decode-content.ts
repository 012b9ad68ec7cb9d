/**
 * Takes content codings off a body, within bounds: what a site sends as 10 KB may unpack to 10 GB. Decoders pull; nothing
 * is unpacked that the reader has not asked for, and each coding of a chain is bounded on its own.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import type { ByteChunks } from './gzip-member.ts';

/** How many times its stored length a body may unpack to. */
export const DECODE_RATIO_MAX = 100;

/** Up to here, in bytes, the ratio is not looked at: a short page of blanks is no bomb. */
export const DECODE_FREE_BYTES = 1_048_576;

/** How long a decoded body may be: ten times the longest body we store (64 MiB). */
export const DECODED_BYTES_MAX = 640 * 1_048_576;

/** How many codings may lie on top of each other; honest servers use one. */
export const CONTENT_CODINGS_MAX = 3;

/** The bounds of one decoding. */
export type DecodeLimits = {
  readonly ratioMax: number;
  readonly freeBytes: number;
  readonly bytesMax: number;
};

const DEFAULT_LIMITS: DecodeLimits = {
  ratioMax: DECODE_RATIO_MAX,
  freeBytes: DECODE_FREE_BYTES,
  bytesMax: DECODED_BYTES_MAX,
};

/** Why a body cannot be decoded: a coding we do not know, bytes that are not in it, or a bound. */
export type ContentDecodingProblem = 'UNKNOWN_CODING' | 'MALFORMED' | 'TOO_LARGE';

/** Thrown while a body is decoded; what came before it was right. */
export class ContentDecodingError extends Error {
  override readonly name = 'ContentDecodingError';
  readonly problem: ContentDecodingProblem;

  constructor(problem: ContentDecodingProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.problem = problem;
  }
}

/**
 * Decodes a stored body by its `Content-Encoding` field lines (RFC 9110 §8.4): gzip, deflate (with and without the zlib
 * wrapper: servers send both), br and zstd, the last applied first. A body that ends early gives what it holds; whoever
 * stored it knows whether it was cut. Throws a ContentDecodingError. Stopping early stops the reading of `body`.
 */
export async function* decodeContent(
  input: { readonly body: ByteChunks; readonly contentEncoding: readonly string[] },
  limits: Partial<DecodeLimits> = {},
): AsyncGenerator<Uint8Array, void> {
  const codings = readCodings(input.contentEncoding);
  const bounds = { ...DEFAULT_LIMITS, ...limits };
  const source = { bytes: 0 };
  let chunks: AsyncIterable<Uint8Array> = countBytes(input.body, source);
  for (const coding of codings.toReversed()) chunks = bound(decodeOne(chunks, coding), source, bounds);
  yield* chunks;
}

type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';

const CODINGS: ReadonlyMap<string, Coding | null> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
  ['identity', null],
  ['', null],
]);

function readCodings(contentEncoding: readonly string[]): Coding[] {
  const names = contentEncoding.flatMap((line) => line.split(',')).map((name) => name.trim().toLowerCase());
  const codings: Coding[] = [];
  for (const name of names) {
    const coding = CODINGS.get(name);
    if (coding === undefined)
      throw new ContentDecodingError('UNKNOWN_CODING', 'a content coding we do not know');
    if (coding !== null) codings.push(coding);
  }
  if (codings.length > CONTENT_CODINGS_MAX)
    throw new ContentDecodingError('TOO_LARGE', 'too many content codings');
  return codings;
}

async function* countBytes(body: ByteChunks, total: { bytes: number }): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    total.bytes += chunk.length;
    yield chunk;
  }
}

async function* bound(
  decoded: AsyncIterable<Uint8Array>,
  source: { readonly bytes: number },
  limits: DecodeLimits,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of decoded) {
    bytes += chunk.length;
    const allowed = Math.min(limits.bytesMax, Math.max(limits.freeBytes, limits.ratioMax * source.bytes));
    if (bytes > allowed)
      throw new ContentDecodingError('TOO_LARGE', `a body that unpacks to over ${allowed} bytes`);
    yield chunk;
  }
}

async function* decodeOne(encoded: AsyncIterable<Uint8Array>, coding: Coding): AsyncGenerator<Uint8Array> {
  const { first, all } = await peek(encoded);
  if (first === undefined) return;
  const decoder = createDecoder(coding, first);
  const feeding = pipeline(Readable.from(all), decoder);
  // The reader below gets the error too; this promise alone must not count as unhandled.
  feeding.catch(() => undefined);
  try {
    for await (const chunk of decoder) yield chunk as Uint8Array;
  } catch (error) {
    if (error instanceof ContentDecodingError || !isDecoderError(error)) throw error;
    throw new ContentDecodingError('MALFORMED', `a body that is no ${coding}`, error);
  }
}

/** Codings that end early are flushed: what a cut body holds is readable. */
function createDecoder(coding: Coding, first: Uint8Array): Transform {
  const flushed = { finishFlush: constants.Z_SYNC_FLUSH };
  switch (coding) {
    case 'gzip':
      return createGunzip(flushed);
    case 'deflate':
      return hasZlibHeader(first) ? createInflate(flushed) : createInflateRaw(flushed);
    case 'br':
      return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
    case 'zstd':
      return createZstdDecompress({
        finishFlush: constants.ZSTD_e_flush,
        params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX },
      });
  }
}

/** The largest window that a decoder of web content must have: 8 MB (RFC 9659). */
const ZSTD_WINDOW_LOG_MAX = 23;

/** RFC 1950 §2.2: method 8, a window of at most 32 KiB, and a check of the two bytes. */
function hasZlibHeader(bytes: Uint8Array): boolean {
  const [method = 0, flags = 0] = bytes;
  return (method & 0x0f) === 8 && method >> 4 <= 7 && (method * 256 + flags) % 31 === 0;
}

async function peek(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ first: Uint8Array | undefined; all: AsyncIterable<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head = new Uint8Array();
  let next = await iterator.next();
  while (next.done !== true && head.length < 2) {
    head = Buffer.concat([head, next.value]);
    if (head.length < 2) next = await iterator.next();
  }
  const rest = async function* (): AsyncGenerator<Uint8Array> {
    try {
      if (head.length > 0) yield head;
      for (let item = await iterator.next(); item.done !== true; item = await iterator.next())
        yield item.value;
    } finally {
      await iterator.return?.();
    }
  };
  return { first: head.length === 0 ? undefined : head, all: rest() };
}

function isDecoderError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(?:Z_|ERR_|ZSTD_)/.test(String(error.code));
}
