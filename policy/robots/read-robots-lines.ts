import { URL_BYTES_MAX } from '../url/canonicalize-url.ts';
import { cutRobots } from './cut-robots.ts';

/**
 * The longest value we take from one line, in octets, a run of `*` counted as one. No pattern beyond it can match a URL
 * that we request: an octet of the URL becomes at most three in normal form, and a pattern spends at most four on each of
 * those (a star and an escape).
 */
export const ROBOTS_VALUE_OCTETS_MAX = 12 * URL_BYTES_MAX;

/** One `key: value` line. Strings hold octets (character codes 0 to 255), as the file has them: UTF-8, if it is right. */
export interface RobotsLine {
  /** Counted from 1; CR LF is one line end. */
  readonly number: number;
  /** As written, without blanks around it. Never empty. */
  readonly key: string;
  /** Without comment and blanks around it; `null` if it was longer than ROBOTS_VALUE_OCTETS_MAX. */
  readonly value: string | null;
  /** The whole line with its comment, without blanks around it. */
  readonly text: string;
}

/** What `readRobotsLines` answers. */
export interface RobotsLines {
  readonly lines: Iterable<RobotsLine>;
  /** Whether the file was longer than ROBOTS_OCTETS_MAX, so that its tail was left out. */
  readonly truncated: boolean;
}

/**
 * Reads a robots.txt into its `key: value` lines (RFC 9309 §2.2); lines that are none are left out, and counted. Line
 * ends are CR, LF and CR LF; a byte order mark at the very start is no part of the first key. Of a file longer than
 * ROBOTS_OCTETS_MAX the lines that end within it are read. A line without a colon is read as one if it consists of
 * exactly two words, for people write `Disallow /x`.
 */
export function readRobotsLines(source: Uint8Array | string): RobotsLines {
  const { content, truncated } = cutRobots(typeof source === 'string' ? Buffer.from(source, 'utf8') : source);
  const octets = Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1');
  return { lines: linesOf(octets.startsWith(BOM) ? octets.slice(BOM.length) : octets), truncated };
}

/**
 * Gives octets of a line as text for people and stores: decoded as UTF-8, with U+FFFD for what is none and for control
 * characters, which neither Postgres (NUL) nor a terminal takes.
 */
export function toText(octets: string): string {
  return Buffer.from(octets, 'latin1')
    .toString('utf8')
    .replaceAll(/\p{Cc}/gu, '\uFFFD');
}

const BOM = '\xEF\xBB\xBF';

function* linesOf(octets: string): Generator<RobotsLine> {
  let number = 0;
  for (const line of octets.split(/\r\n|\r|\n/)) {
    number += 1;
    const text = trimBlanks(line);
    const hash = text.indexOf('#');
    const pair = splitPair(hash < 0 ? text : trimBlanks(text.slice(0, hash)));
    if (pair !== undefined) yield { number, key: pair.key, value: withinLimit(pair.value), text };
  }
}

function splitPair(text: string): { key: string; value: string } | undefined {
  const colon = text.indexOf(':');
  const at = colon < 0 ? text.search(/[ \t]/) : colon;
  if (at <= 0) return undefined;
  const value = trimBlanks(text.slice(at + 1));
  if (colon < 0 && /[ \t]/.test(value)) return undefined;
  return { key: trimBlanks(text.slice(0, at)), value };
}

function withinLimit(value: string): string | null {
  if (value.length <= ROBOTS_VALUE_OCTETS_MAX) return value;
  const collapsed = value.replaceAll(/\*+/g, '*');
  return collapsed.length <= ROBOTS_VALUE_OCTETS_MAX ? value : null;
}

/** Not `trim()`, which takes a byte order mark and the second octet of `à` for blanks, and not /\s+$/, which is quadratic. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(octet: number): boolean {
  return octet === 0x20 || octet === 0x09 || octet === 0x0b || octet === 0x0c;
}
