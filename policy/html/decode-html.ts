import { sniffCharset } from './sniff-charset.ts';

/**
 * Turns the bytes of an HTML document, content coding removed, into text: encoding by `sniffCharset`, byte order mark
 * taken off, malformed sequences replaced by U+FFFD. Never fails.
 */
export function decodeHtml(bytes: Uint8Array, contentType: string): string {
  return new TextDecoder(sniffCharset(bytes, contentType)).decode(bytes);
}
