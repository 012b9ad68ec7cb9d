import { findHeadEnd } from './http-head.ts';

/** Takes a stream of bytes apart by heads and lengths, never by what it contains. */
export type ByteReader = {
  /**
   * The bytes through the first empty line, or null when there is none within `bytesMax`. After null the
   * reader stands where it stood.
   */
  readHead: (bytesMax: number) => Promise<Uint8Array | null>;
  /** The next bytes as they come; fewer when the stream ends early. */
  take: (bytes: number) => AsyncGenerator<Uint8Array, void>;
};

/** Makes a reader on `next`, which gives the next bytes, or null at the end. */
export function createByteReader(next: () => Promise<Uint8Array | null>): ByteReader {
  let buffered: Uint8Array = new Uint8Array();

  return {
    async readHead(bytesMax) {
      for (let searched = 0; ;) {
        // An empty line may begin in the bytes that were searched already.
        const from = Math.max(0, searched - 3);
        const end = findHeadEnd(buffered.subarray(from, bytesMax));
        if (end >= 0) {
          const head = buffered.subarray(0, from + end);
          buffered = buffered.subarray(from + end);
          return head;
        }
        searched = buffered.length;
        const chunk = searched < bytesMax ? await next() : null;
        if (chunk === null) return null;
        buffered = Buffer.concat([buffered, chunk]);
      }
    },

    async *take(bytes) {
      for (let left = bytes; left > 0;) {
        const chunk = buffered.length > 0 ? buffered : await next();
        if (chunk === null) return;
        const taken = chunk.subarray(0, left);
        buffered = chunk.subarray(taken.length);
        left -= taken.length;
        if (taken.length > 0) yield taken;
      }
    },
  };
}
