import { SignalSource } from '@decorum/proto/decorum/crawl/v1/capture_pb.ts';
import { decodeHtml } from '@decorum/policy/html/decode-html.ts';
import { isHtmlContentType } from '@decorum/policy/html/parse-content-type.ts';
import { HEAD_CHARACTERS_MAX, readHeadStatements } from '@decorum/policy/html/read-head-statements.ts';
import { ContentDecodingError } from '../archive/decode-content.ts';
import { decodeStart } from './decode-start.ts';
import type { Answer } from './exchange.ts';
import { fieldValues } from './fields.ts';

/** A statement of a site about the use of its content, as found. */
export type FoundSignal = { readonly source: SignalSource; readonly name: string; readonly value: string };

/** How many signals are kept of one answer. */
export const SIGNALS_MAX = 100;

/** Fields that speak of the use of content; TDMRep's begin with `tdm-`. */
const SIGNAL_FIELDS: ReadonlySet<string> = new Set(['x-robots-tag', 'content-usage', 'content-signal']);

/** How much of a document is decoded to look for statements: a head of that many characters in any encoding. */
const HEAD_BYTES_MAX = HEAD_CHARACTERS_MAX;

/**
 * Collects what an answer says about the use of its content, in the order found: response fields line by line (joined
 * lines would shift a bot's name onto others' rules), then the `meta` statements of an HTML document's head that speak to
 * all robots, to `productToken` or one of its purposes (`token-…`), or of text and data mining. Nothing is judged here.
 */
export async function readSignals(answer: Answer, productToken: string): Promise<FoundSignal[]> {
  const fromFields = answer.fields
    .filter(({ name }) => SIGNAL_FIELDS.has(name.toLowerCase()) || /^tdm-/i.test(name))
    .map(({ name, value }) => ({ source: SignalSource.RESPONSE_HEADER, name, value }));
  const token = productToken.toLowerCase();
  const statements = readHeadStatements(await readHead(answer), ['robots', token, `${token}-*`, 'tdm-*']);
  const fromHead = statements.map(({ name, content }) => ({
    source: SignalSource.HTML_META,
    name: `meta ${name}`,
    value: content,
  }));
  return [...fromFields, ...fromHead].slice(0, SIGNALS_MAX);
}

/** The beginning of an HTML document as text; nothing of what is none or cannot be decoded. */
async function readHead(answer: Answer): Promise<string> {
  const contentType = fieldValues(answer.fields, 'content-type')[0] ?? '';
  if (!isHtmlContentType(contentType)) return '';
  try {
    return decodeHtml(await decodeStart(answer, HEAD_BYTES_MAX), contentType);
  } catch (error) {
    if (error instanceof ContentDecodingError) return '';
    throw error;
  }
}
