/** The parts of a Content-Type that decide how a body is read. Both lower case; empty when absent. */
export type ContentType = { readonly mediaType: string; readonly charset: string };

const CHARSET = /;[\t ]*charset[\t ]*=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([^\t ;]*))/i;

/** Reads a Content-Type value (RFC 9110 §8.3), leniently: whatever is not understood is left empty. */
export function parseContentType(value: string): ContentType {
  const mediaType = (value.split(';', 1)[0] ?? '').trim().toLowerCase();
  const match = CHARSET.exec(value);
  const charset = (match?.[1]?.replace(/\\(.)/g, '$1') ?? match?.[2] ?? '').trim().toLowerCase();
  return { mediaType: /^[^\s/]+\/[^\s/]+$/.test(mediaType) ? mediaType : '', charset };
}

/** Whether bodies of this Content-Type are parsed as HTML: `text/html` and XHTML; a missing type is not. */
export function isHtmlContentType(value: string): boolean {
  const { mediaType } = parseContentType(value);
  return mediaType === 'text/html' || mediaType === 'application/xhtml+xml';
}
