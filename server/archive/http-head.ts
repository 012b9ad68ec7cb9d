/**
 * What the transfer-coding field of a stored response is called. Bodies are stored de-chunked; under its own
 * name the field would make readers take the chunks off a second time.
 */
export const ARCHIVED_TRANSFER_CODING_FIELD = 'X-Crawler-Transfer-Encoding';

/** A head longer than this cannot be stored, nor is one read back. */
export const HTTP_HEAD_BYTES_MAX = 256 * 1024;

const RENAMING_PREFIX = ARCHIVED_TRANSFER_CODING_FIELD.slice(0, -'Transfer-Encoding'.length);

/**
 * The head of a response as it is stored: byte for byte as received, save that `Transfer-Encoding` field
 * lines are renamed to `X-Crawler-Transfer-Encoding`. `head` is the status line and the field lines with the
 * closing empty line.
 */
export function toArchivedHead(head: Uint8Array): Uint8Array {
  const text = latin1(head);
  const renamed = text.replace(/(?<=\n)(?=transfer-encoding[ \t]*:)/gi, RENAMING_PREFIX);
  return renamed.length === text.length ? head : Buffer.from(renamed, 'latin1');
}

/** The values of a field in a head, one per line, in order, read as ISO-8859-1 (RFC 9110 §5.5). */
export function getHttpFieldValues(head: Uint8Array, name: string): string[] {
  const prefix = `${name.toLowerCase()}:`;
  return latin1(head)
    .split('\n')
    .slice(1)
    .filter((line) => line.slice(0, prefix.length).toLowerCase() === prefix)
    .map((line) => line.slice(prefix.length).trim());
}

/**
 * Where a head ends: the index after its first empty line, or -1 when it has none before `bytes` end. Lines
 * may end in CRLF or in LF alone (RFC 9112 §2.2).
 */
export function findHeadEnd(bytes: Uint8Array): number {
  for (let lineEnd = bytes.indexOf(10); lineEnd >= 0; lineEnd = bytes.indexOf(10, lineEnd + 1)) {
    if (bytes[lineEnd + 1] === 10) return lineEnd + 2;
    if (bytes[lineEnd + 1] === 13 && bytes[lineEnd + 2] === 10) return lineEnd + 3;
  }
  return -1;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
