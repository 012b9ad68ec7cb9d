import { getHttpFieldValues } from './http-head.ts';

/** How a body goes into its member: in stored blocks, as it is, or deflated. */
export type BodyCoding = 'stored' | 'deflated';

const UNCOMPRESSED_CODINGS = new Set(['', 'identity', 'chunked']);

/** Media types whose formats compress themselves; what is missing here costs time, never correctness. */
const COMPRESSED_TYPE =
  /^(?:image\/(?!svg|bmp|x-ms-bmp|x-icon|vnd\.microsoft\.icon|tiff)|video\/|audio\/(?!x?-?wav)|font\/woff2?$|application\/(?:zip|gzip|x-gzip|x-bzip2|x-xz|zstd|x-7z-compressed|x-rar-compressed|vnd\.rar|java-archive|epub\+zip|vnd\.openxmlformats-|font-woff2?$))/i;

/**
 * Decides whether a body is deflated, from its response head as received: not when a content or transfer
 * coding besides `identity` and `chunked` is declared, nor when the media type is one that compresses itself.
 */
export function decideBodyCoding(responseHead: Uint8Array): BodyCoding {
  const codings = [
    ...getHttpFieldValues(responseHead, 'content-encoding'),
    ...getHttpFieldValues(responseHead, 'transfer-encoding'),
  ].flatMap((value) => value.split(','));
  if (codings.some((coding) => !UNCOMPRESSED_CODINGS.has(coding.trim().toLowerCase()))) return 'stored';
  const type = getHttpFieldValues(responseHead, 'content-type')[0]?.split(';')[0]?.trim() ?? '';
  return COMPRESSED_TYPE.test(type) ? 'stored' : 'deflated';
}
