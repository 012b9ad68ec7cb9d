import { encodeBase32 } from './encode-base32.ts';

/** The digest algorithms that captures carry. */
export type DigestAlgorithm = 'sha1' | 'sha256';

const BYTES: Record<DigestAlgorithm, number> = { sha1: 20, sha256: 32 };

/**
 * Writes a digest with its label as web archives do (WARC 1.1 §5.8): `sha1:` in Base32, `sha256:` in
 * lower-case hex. Throws a RangeError when the bytes are not as many as the algorithm gives.
 */
export function formatDigest(algorithm: DigestAlgorithm, digest: Uint8Array): string {
  if (digest.length !== BYTES[algorithm]) {
    throw new RangeError(`a ${algorithm} digest has ${BYTES[algorithm]} bytes, not ${digest.length}`);
  }
  return algorithm === 'sha1'
    ? `sha1:${encodeBase32(digest)}`
    : `sha256:${Buffer.from(digest).toString('hex')}`;
}
