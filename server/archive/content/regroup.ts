/** A piece of an answer is at most this long. */
export const PIECE_BYTES_MAX = 256 * 1024;

/** Shorter ones are put together until they are this long: a message each would cost more than its bytes. */
const PIECE_BYTES_MIN = 64 * 1024;

/** The same bytes in pieces of 64 to 256 KiB, but for the last. */
export async function* regroup(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let pending: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length;) {
      const part = chunk.subarray(start, start + PIECE_BYTES_MAX - bytes);
      start += part.length;
      bytes += part.length;
      pending.push(part);
      if (bytes < PIECE_BYTES_MIN) continue;
      yield join(pending);
      pending = [];
      bytes = 0;
    }
  }
  if (bytes > 0) yield join(pending);
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
}
