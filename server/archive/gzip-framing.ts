/** The ten bytes before the deflate data (RFC 1952 §2.3.1): no flags, no time, fastest level, any system. */
export const GZIP_HEADER: Uint8Array = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255);

/** Checksum and length behind the deflate data. */
export const GZIP_TRAILER_BYTES = 8;

/** What a stored block of deflate data can hold (RFC 1951 §3.2.4). */
export const STORED_BLOCK_BYTES_MAX = 65_535;

/** What a stored block costs besides its bytes, when it begins on a byte's border. */
export const STORED_BLOCK_OVERHEAD_BYTES = 5;

/** The five bytes before a stored block's content; `final` marks the last block of the deflate data. */
export function toStoredBlockHeader(contentBytes: number, final: boolean): Buffer {
  const header = Buffer.allocUnsafe(STORED_BLOCK_OVERHEAD_BYTES);
  header.writeUInt8(final ? 1 : 0, 0);
  header.writeUInt16LE(contentBytes, 1);
  header.writeUInt16LE(contentBytes ^ 0xffff, 3);
  return header;
}

/** Cuts bytes into stored blocks, none of them the final one; an empty input gives none. */
export function* toStoredBlocks(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += STORED_BLOCK_BYTES_MAX) {
    const content = bytes.subarray(start, start + STORED_BLOCK_BYTES_MAX);
    yield toStoredBlockHeader(content.length, false);
    yield content;
  }
}

/** The trailer for content with this CRC-32 and length; lengths are kept modulo 2^32. */
export function toGzipTrailer(crc: number, contentBytes: number): Buffer {
  const trailer = Buffer.allocUnsafe(GZIP_TRAILER_BYTES);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(contentBytes % 2 ** 32, 4);
  return trailer;
}
