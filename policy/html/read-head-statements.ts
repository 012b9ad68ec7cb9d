import { readHtmlTokens } from './read-html-tokens.ts';

/** A `meta` of a document's head that says something about the use of its content, as found. */
export type HeadStatement = { readonly name: string; readonly content: string };

/** How far into a document statements are looked for, in characters: real heads end well before. */
export const HEAD_CHARACTERS_MAX = 65_536;

/** How many statements are kept; a document that says more contradicts itself. */
export const HEAD_STATEMENTS_MAX = 50;

/** How much of one statement is kept, in characters. */
export const STATEMENT_CHARACTERS_MAX = 1_024;

/** Elements that may stand in a head (HTML §4.2); any other start tag begins the body. */
const HEAD_ELEMENTS = new Set(
  'html head title base link meta style script noscript template basefont bgsound noframes'.split(' '),
);

/**
 * Reads the `meta` statements of a head whose name is one of `names` (lower case), or begins with one that ends in
 * `*`: robots directives and TDM reservations. Reading stops where the body begins or at HEAD_CHARACTERS_MAX. Names
 * come back in lower case, contents as written with entities decoded, in document order.
 */
export function readHeadStatements(html: string, names: readonly string[]): HeadStatement[] {
  const statements: HeadStatement[] = [];
  readHtmlTokens(html.slice(0, HEAD_CHARACTERS_MAX), {
    startTag(element, attribute) {
      if (!HEAD_ELEMENTS.has(element)) return 'stop';
      const name = element === 'meta' ? attribute('name')?.trim().toLowerCase() : undefined;
      if (name === undefined || !names.some((wanted) => matches(wanted, name))) return undefined;
      statements.push({ name, content: (attribute('content') ?? '').slice(0, STATEMENT_CHARACTERS_MAX) });
      return statements.length === HEAD_STATEMENTS_MAX ? 'stop' : undefined;
    },
    endTag: (element) => (element === 'head' ? 'stop' : undefined),
  });
  return statements;
}

function matches(wanted: string, name: string): boolean {
  return wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : wanted === name;
}
