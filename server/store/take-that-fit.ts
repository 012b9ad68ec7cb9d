/**
 * What an answer may take, in bytes as they are stored: with its framing it stays below the 32 MiB of a message, and below
 * what a process can hold for a few calls at once.
 */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** The first items whose bytes together fit into one answer; always the first one. */
export function takeThatFit<T extends { readonly bytes: number }>(
  items: readonly T[],
  bytesMax = ANSWER_BYTES_MAX,
): readonly T[] {
  let bytes = 0;
  const end = items.findIndex((item) => (bytes += item.bytes) > bytesMax);
  return end < 0 ? items : items.slice(0, Math.max(end, 1));
}
