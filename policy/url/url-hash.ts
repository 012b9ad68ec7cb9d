import { hash } from 'node:crypto';

/** Length of `urlHash` and `urlKey`, in bytes (128 bits). */
export const URL_HASH_BYTES = 16;

/** The identity of a canonical URL for pending, coalescing and `max_age`: the first 128 bits of its SHA-256. */
export function urlHash(canonicalUrl: string): Uint8Array {
  return new Uint8Array(hash('sha256', canonicalUrl, 'buffer').subarray(0, URL_HASH_BYTES));
}
