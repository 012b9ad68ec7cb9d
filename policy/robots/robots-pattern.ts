import { normalizeRobotsPath } from './normalize-robots-path.ts';

/** A rule's pattern, ready to be compared with normalised paths; made by `parseRobotsPattern`. */
export interface RobotsPattern {
  /** How specific the pattern is (RFC 9309 §2.2.2): its octets in normal form, every `*` and the final `$` included. */
  readonly octets: number;
  /** What the path begins with: the text up to the first `*`. */
  readonly head: OctetSource;
  /** The texts behind it, each between two stars (or behind the last), to be found one after the other. */
  readonly pieces: readonly Piece[];
  /** Where the path ends: anywhere, right behind the head, or with a text behind the last star. */
  readonly end:
    | { readonly kind: 'anywhere' }
    | { readonly kind: 'head' }
    | { readonly kind: 'text'; readonly text: OctetSource };
}

interface Piece {
  readonly text: OctetSource;
  readonly borders: readonly number[];
}

/** What the matcher reads of paths and texts. A string is one. */
export interface OctetSource {
  readonly length: number;
  charCodeAt(at: number): number;
}

/** Parses the value of an `Allow` or `Disallow` line (RFC 9309 §2.2.3): `*` is any octets, a final `$` the end of the path. */
export function parseRobotsPattern(value: string): RobotsPattern {
  const anchored = value.endsWith('$');
  const body = anchored ? value.slice(0, -1) : value;
  const texts: string[] = [];
  let octets = value.length;
  let inQuery = false;
  for (const raw of body.split(/\*+/)) {
    const text = normalizeRobotsPath(raw, inQuery);
    texts.push(text);
    octets += text.length - raw.length;
    inQuery ||= raw.includes('?');
  }
  const [head = '', ...behind] = texts;
  const last = anchored ? behind.pop() : undefined;
  return {
    octets,
    head,
    pieces: behind.filter((text) => text !== '').map((text) => ({ text, borders: bordersOf(text) })),
    end: !anchored
      ? { kind: 'anywhere' }
      : last === undefined
        ? { kind: 'head' }
        : { kind: 'text', text: last },
  };
}

/**
 * Says whether the pattern matches a path in normal form. Each piece is taken where it is found first, which leaves the
 * most for the others, and is searched for by Knuth, Morris and Pratt: an octet of the path is read once and compared at
 * most three times, whatever either holds.
 */
export function matchesRobotsPattern(pattern: RobotsPattern, path: OctetSource): boolean {
  if (!hasTextAt(path, pattern.head, 0)) return false;
  let at = pattern.head.length;
  for (const piece of pattern.pieces) {
    at = findEnd(path, piece, at);
    if (at < 0) return false;
  }
  const { end } = pattern;
  if (end.kind === 'anywhere') return true;
  if (end.kind === 'head') return at === path.length;
  const start = path.length - end.text.length;
  return start >= at && hasTextAt(path, end.text, start);
}

function hasTextAt(path: OctetSource, text: OctetSource, at: number): boolean {
  if (path.length - at < text.length) return false;
  for (let index = 0; index < text.length; index += 1) {
    if (path.charCodeAt(at + index) !== text.charCodeAt(index)) return false;
  }
  return true;
}

/** The place behind the first occurrence of the piece from `from` on, or -1. */
function findEnd(path: OctetSource, { text, borders }: Piece, from: number): number {
  let matched = 0;
  for (let at = from; at < path.length; at += 1) {
    matched = extend(text, borders, matched, path.charCodeAt(at));
    if (matched === text.length) return at + 1;
  }
  return -1;
}

/** For each length of a match, the length of the longest shorter one that ends with it. */
function bordersOf(text: OctetSource): readonly number[] {
  const borders = [0, 0];
  for (let at = 1; at < text.length; at += 1) {
    borders.push(extend(text, borders, borders[at] ?? 0, text.charCodeAt(at)));
  }
  return borders;
}

/** The length of the match after one more octet, given the length before it. */
function extend(text: OctetSource, borders: readonly number[], matched: number, octet: number): number {
  let length = matched;
  while (length > 0 && text.charCodeAt(length) !== octet) length = borders[length] ?? 0;
  return text.charCodeAt(length) === octet ? length + 1 : length;
}
