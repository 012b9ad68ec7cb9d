const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Writes bytes in Base32 with the upper-case alphabet of RFC 4648 §6, without padding. Twenty bytes (a
 * SHA-1) give exactly 32 characters, which is how web archives write it.
 */
export function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff;
    bitCount += 8;
    while (bitCount >= 5) {
      bitCount -= 5;
      text += ALPHABET.charAt((bits >> bitCount) & 31);
    }
  }
  if (bitCount > 0) text += ALPHABET.charAt((bits << (5 - bitCount)) & 31);
  return text;
}
