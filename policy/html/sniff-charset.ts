import { parseContentType } from './parse-content-type.ts';

/** How far into a document a `meta` may declare its encoding, in bytes (HTML §4.2.5.4). */
export const META_PRESCAN_BYTES = 1024;

/** What is read when nothing is declared: the web's legacy default for Western content (HTML §13.2.3.2, step 9). */
export const DEFAULT_CHARSET = 'windows-1252';

/**
 * Decides the encoding of an HTML document in the order of HTML §13.2.3.2: byte order mark, then the Content-Type's
 * charset, then a `meta` within the first 1,024 bytes, then windows-1252. The answer is a name that TextDecoder takes;
 * labels it does not know are passed over.
 */
export function sniffCharset(bytes: Uint8Array, contentType: string): string {
  return (
    charsetOfByteOrderMark(bytes) ??
    toKnownCharset(parseContentType(contentType).charset) ??
    charsetOfMeta(bytes.subarray(0, META_PRESCAN_BYTES)) ??
    DEFAULT_CHARSET
  );
}

function charsetOfByteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return undefined;
}

function toKnownCharset(label: string): string | undefined {
  if (label === '') return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

const COMMENT_OR_TAG = /<!--[^]*?(?:-->|$)|<meta(?=[\s/])([^>]*)|<[a-z/!?](?:"[^"]*"|'[^']*'|[^"'>])*/gi;
const ATTRIBUTE = /([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/g;

/** The prescan of HTML §13.2.3.2: UTF-16 cannot be declared in ASCII-readable bytes, so it means UTF-8 there. */
function charsetOfMeta(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder('latin1').decode(bytes);
  for (const [, attributes] of text.matchAll(COMMENT_OR_TAG)) {
    if (attributes === undefined) continue;
    const charset = toKnownCharset(charsetOfAttributes(attributes));
    if (charset !== undefined) return charset.startsWith('utf-16') ? 'utf-8' : charset;
  }
  return undefined;
}

function charsetOfAttributes(text: string): string {
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single, bare] of text.matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, double ?? single ?? bare ?? '');
  }
  const declared = attributes.get('charset');
  if (declared !== undefined) return declared.trim().toLowerCase();
  if (attributes.get('http-equiv')?.trim().toLowerCase() !== 'content-type') return '';
  return parseContentType(`;${attributes.get('content') ?? ''}`).charset;
}
