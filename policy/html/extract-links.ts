import { canonicalizeUrl } from '../url/canonicalize-url.ts';
import { decodeHtml } from './decode-html.ts';
import { readHtmlTokens } from './read-html-tokens.ts';

/** How many links of a document are answered; more say more about the document than about where to go. */
export const LINKS_MAX = 10_000;

/** Longer references than this, in characters, are no links that could be fetched (URLs end at 2,048 bytes). */
export const REFERENCE_CHARACTERS_MAX = 8_192;

/** Where the elements that lead to other documents keep the reference. */
const REFERENCE_ATTRIBUTE: ReadonlyMap<string, string> = new Map([
  ['a', 'href'],
  ['area', 'href'],
  ['frame', 'src'],
]);

/** An HTML document: its bytes without content coding, its Content-Type, and the URL that answered with it. */
export type HtmlDocument = { readonly bytes: Uint8Array; readonly contentType: string; readonly url: string };

/** The links of a document: absolute and canonical, in document order, each once. */
export type ExtractedLinks = { readonly links: string[]; readonly truncated: boolean };

/**
 * Takes the links out of an HTML document: `a`, `area` and `frame`, resolved against the first `base` with an `href`
 * (HTML §2.4.3), entities decoded once, references that nothing can be fetched by left out. `rel` is not looked at: it
 * is the reader's judgement. At most `linksMax` (default LINKS_MAX), then `truncated`. Linear in the length.
 */
export function extractLinks(document: HtmlDocument, linksMax = LINKS_MAX): ExtractedLinks {
  const found = readReferences(decodeHtml(document.bytes, document.contentType), linksMax);
  const base = baseUrl(found.base, document.url);
  const links = new Set<string>();
  for (const reference of found.references) {
    const target = canonicalizeUrl(reference, base);
    if (target.ok) links.add(target.url);
  }
  const all = [...links];
  return { links: all.slice(0, linksMax), truncated: found.truncated || all.length > linksMax };
}

type References = { references: Set<string>; base: string | undefined; truncated: boolean };

/** A `base` counts for links before it too, so that references are resolved only when all were read. */
function readReferences(html: string, linksMax: number): References {
  const found: References = { references: new Set(), base: undefined, truncated: false };
  readHtmlTokens(html, {
    startTag(name, attribute) {
      if (name === 'base') found.base ??= attribute('href');
      const holder = REFERENCE_ATTRIBUTE.get(name);
      const reference = holder === undefined ? undefined : attribute(holder);
      if (reference === undefined || reference.length > REFERENCE_CHARACTERS_MAX) return undefined;
      // Several spellings may be one link: twice as many references are read as links are answered.
      if (found.references.size < 2 * linksMax) {
        found.references.add(reference);
        return undefined;
      }
      found.truncated = !found.references.has(reference);
      return found.truncated ? 'stop' : undefined;
    },
  });
  return found;
}

function baseUrl(href: string | undefined, documentUrl: string): string {
  const base = href === undefined ? null : URL.parse(href, documentUrl);
  return base !== null && base.protocol !== 'data:' && base.protocol !== 'javascript:'
    ? base.href
    : documentUrl;
}
