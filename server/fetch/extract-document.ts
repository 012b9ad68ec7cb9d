import type { MessageInitShape } from '@bufbuild/protobuf';
import { Extraction } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import type { ExtractedDocumentSchema } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import type { LeaseItem } from '@decorum/proto/decorum/fetch/v1/lease_pb.ts';
import { extractLinks } from '@decorum/policy/html/extract-links.ts';
import { extractText } from '@decorum/policy/html/extract-text.ts';
import { isHtmlContentType } from '@decorum/policy/html/parse-content-type.ts';
import { ContentDecodingError } from '../archive/decode-content.ts';
import { decodeStart } from './decode-start.ts';
import type { Answer } from './exchange.ts';
import { fieldValues } from './fields.ts';

/** The longest document, decoded, that is taken apart between two fetches: 512 KiB cost 25 ms of everybody's time. */
export const EXTRACT_BYTES_MAX = 524_288;

/** How much text travels with a result, in characters; the whole is read with ReadText. */
export const EXTRACT_TEXT_CHARACTERS_MAX = 65_536;

/** How many links travel with a result. */
export const EXTRACT_LINKS_MAX = 2_000;

const SUPPORTED: ReadonlySet<Extraction> = new Set([
  Extraction.LINKS,
  Extraction.TEXT,
  Extraction.TITLE,
  Extraction.LANGUAGE,
]);

/**
 * Takes out of an HTML answer what its request asked for; null when it asked for nothing. `skipped` says why something is
 * missing: `not_html`, `too_large`, `undecodable`, or `unsupported` for what is not built.
 */
export async function extractDocument(
  answer: Answer,
  { extract, url }: Pick<LeaseItem, 'extract' | 'url'>,
): Promise<MessageInitShape<typeof ExtractedDocumentSchema> | null> {
  if (extract.length === 0) return null;
  const contentType = fieldValues(answer.fields, 'content-type')[0] ?? '';
  if (!isHtmlContentType(contentType)) return { skipped: 'not_html' };
  let bytes: Uint8Array;
  try {
    bytes = await decodeStart(answer, EXTRACT_BYTES_MAX);
  } catch (error) {
    if (error instanceof ContentDecodingError) return { skipped: 'undecodable' };
    throw error;
  }
  if (bytes.length > EXTRACT_BYTES_MAX) return { skipped: 'too_large' };

  const wants = new Set(extract);
  const document = { bytes, contentType, url };
  const links = wants.has(Extraction.LINKS) ? extractLinks(document, EXTRACT_LINKS_MAX) : null;
  const text = extractText(document, EXTRACT_TEXT_CHARACTERS_MAX);
  return {
    ...(links === null ? {} : { links: links.links, linksTruncated: links.truncated }),
    ...(wants.has(Extraction.TEXT) ? { text: text.text } : {}),
    ...(wants.has(Extraction.TITLE) ? { title: text.title } : {}),
    ...(wants.has(Extraction.LANGUAGE) ? { language: text.language } : {}),
    ...(extract.every((each) => SUPPORTED.has(each)) ? {} : { skipped: 'unsupported' }),
  };
}
