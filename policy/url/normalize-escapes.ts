const ESCAPE = /%([0-9a-f]{2})/gi;
const UNRESERVED = /[A-Za-z0-9\-._~]/;
const HEX_DIGIT = /[0-9A-Fa-f]/;

/**
 * Brings the percent-encoding of a path and query to one spelling: escapes of unreserved characters are decoded, once,
 * and the others get upper-case hex digits (RFC 3986 §6.2.2.1, §6.2.2.2). Idempotent: an escaped hex digit behind a
 * stray `%` stays escaped, since decoding it would make a new escape (`%2%35` is not `%25`).
 */
export function normalizeEscapes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(ESCAPE, (escape: string, hex: string, at: number) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    const decodable =
      UNRESERVED.test(character) && !(HEX_DIGIT.test(character) && followsStrayPercent(text, at));
    return decodable ? character : escape.toUpperCase();
  });
}

function followsStrayPercent(text: string, at: number): boolean {
  return text[at - 1] === '%' || (text[at - 2] === '%' && HEX_DIGIT.test(text[at - 1] ?? ''));
}
