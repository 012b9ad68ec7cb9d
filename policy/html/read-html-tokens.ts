import { Tokenizer, TokenizerMode } from 'parse5';
import type { Token } from 'parse5';

/** What a reader of HTML is told, in document order. Answering `'stop'` ends the reading. */
export type HtmlTokenReader = {
  /** `attribute` answers an attribute's value with entities decoded once, the first when it is repeated. */
  startTag(name: string, attribute: (name: string) => string | undefined): 'stop' | undefined;
  endTag?(name: string): 'stop' | undefined;
  text?(text: string): undefined;
};

/** Elements whose content is not markup (HTML §13.2.6.4); `noscript` is markup for a reader without scripts. */
const RAW_CONTENT: ReadonlyMap<string, (typeof TokenizerMode)[keyof typeof TokenizerMode]> = new Map([
  ['title', TokenizerMode.RCDATA],
  ['textarea', TokenizerMode.RCDATA],
  ['style', TokenizerMode.RAWTEXT],
  ['xmp', TokenizerMode.RAWTEXT],
  ['iframe', TokenizerMode.RAWTEXT],
  ['noembed', TokenizerMode.RAWTEXT],
  ['noframes', TokenizerMode.RAWTEXT],
  ['script', TokenizerMode.SCRIPT_DATA],
  ['plaintext', TokenizerMode.PLAINTEXT],
]);

/**
 * Reads HTML with the standard's tokenizer but without building a tree: its work is linear in the length and blind to
 * nesting, where tree construction walks the stack of open elements for every tag (100,000 open `div`s: minutes).
 * The price: no implied tags, and a `title` inside an `svg` looks like the document's.
 */
export function readHtmlTokens(html: string, reader: HtmlTokenReader): void {
  let foreignDepth = 0;
  const note = (answer: 'stop' | undefined): void => {
    if (answer === 'stop') tokenizer.pause();
  };
  const text = (token: Token.CharacterToken): void => {
    reader.text?.(token.chars);
  };
  const tokenizer = new Tokenizer(
    {},
    {
      onStartTag(token) {
        if (isForeign(token.tagName)) foreignDepth += token.selfClosing ? 0 : 1;
        // `<script/>` ends itself in SVG; in HTML the slash means nothing.
        const endsItself = token.selfClosing && foreignDepth > 0;
        const mode = RAW_CONTENT.get(token.tagName);
        if (mode !== undefined && !endsItself) tokenizer.state = mode;
        note(reader.startTag(token.tagName, (name) => attributeOf(token, name)));
        if (endsItself) note(reader.endTag?.(token.tagName));
      },
      onEndTag(token) {
        if (isForeign(token.tagName)) foreignDepth = Math.max(0, foreignDepth - 1);
        note(reader.endTag?.(token.tagName));
      },
      onCharacter: text,
      onWhitespaceCharacter: text,
      onNullCharacter: ignore,
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
      onParseError: null,
    },
  );
  tokenizer.write(html, true);
}

function isForeign(name: string): boolean {
  return name === 'svg' || name === 'math';
}

function attributeOf(token: Token.TagToken, name: string): string | undefined {
  return token.attrs.find((attribute) => attribute.name === name)?.value;
}

function ignore(): void {
  // Comments, doctypes and the end say nothing to our readers.
}
