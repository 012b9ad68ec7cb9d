import { collapseSpace, collectLines } from './collect-lines.ts';
import { decodeHtml } from './decode-html.ts';
import type { HtmlDocument } from './extract-links.ts';
import { readHtmlTokens } from './read-html-tokens.ts';

/** How much visible text of a document is answered, in characters (UTF-16 code units). */
export const TEXT_CHARACTERS_MAX = 1_000_000;

/** How much of a title is answered, in characters. */
export const TITLE_CHARACTERS_MAX = 1_000;

/** Elements whose content is no text of the page; none of them nests in itself. */
const HIDDEN = new Set(['script', 'style', 'title', 'iframe', 'noembed', 'noframes', 'textarea']);

/** Elements that end a line of text where they begin and end (`display: block` of HTML §15.3, and `br`). */
const BLOCKS = new Set(
  (
    'address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption ' +
    'figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol optgroup option p ' +
    'plaintext pre search section select summary table tbody tfoot thead tr ul xmp'
  ).split(' '),
);

/** Elements across which words do not run together. */
const SPACED = new Set(['td', 'th', 'img', 'button', 'input', 'textarea']);

/** What a reader sees of a document. `language` is the `lang` of its `html` element as written, else empty. */
export type ExtractedText = {
  readonly title: string;
  readonly language: string;
  readonly text: string;
  readonly truncated: boolean;
};

/**
 * Takes title, language and visible text out of an HTML document: a line per block, white space collapsed, entities
 * decoded once, scripts, styles and templates left out, `noscript` kept. Linear in the length, blind to nesting. Text
 * is cut at `charactersMax` (default TEXT_CHARACTERS_MAX), then `truncated`.
 */
export function extractText(
  document: Pick<HtmlDocument, 'bytes' | 'contentType'>,
  charactersMax = TEXT_CHARACTERS_MAX,
): ExtractedText {
  const lines = collectLines(charactersMax);
  const title: string[] = [];
  let titleIsRead = false;
  let language = '';
  let hidden: string | undefined;
  let templates = 0;
  readHtmlTokens(decodeHtml(document.bytes, document.contentType), {
    startTag(name, attribute) {
      if (name === 'html') language ||= attribute('lang')?.trim() ?? '';
      if (name === 'template') templates += 1;
      if (BLOCKS.has(name)) lines.breakLine();
      if (SPACED.has(name)) lines.add(' ');
      if (HIDDEN.has(name)) hidden = name;
      return lines.isFull() ? 'stop' : undefined;
    },
    endTag(name) {
      if (name === 'template') templates = Math.max(0, templates - 1);
      if (name === 'title') titleIsRead = true;
      if (name === hidden) hidden = undefined;
      if (BLOCKS.has(name)) lines.breakLine();
      if (SPACED.has(name)) lines.add(' ');
      return undefined;
    },
    text(text) {
      if (hidden === 'title' && !titleIsRead) title.push(text);
      if (hidden === undefined && templates === 0) lines.add(text);
      return undefined;
    },
  });
  return {
    title: collapseSpace(title.join('')).slice(0, TITLE_CHARACTERS_MAX),
    language,
    text: lines.toText(),
    truncated: lines.isFull(),
  };
}
