// Text that is compared as it stands: unreserved characters, the reserved ones, and a `%` that begins no escape (so that
// `Disallow: /*%` speaks of every escaped character). `*` and `$` are not among it: they mean something in a rule.
const TO_ENCODE = /%[0-9A-Fa-f]{2}|[*$]|[^\x21-\x7e]/g;
const UNRESERVED = /[A-Za-z0-9\-._~]/;
// The query may hold these either way (RFC 3986 §3.4), and RFC 9309 §2.2.2 compares `?u=https://a` with
// `?u=https%3A%2F%2Fa` as equal. In the path `%2F` is not `/`.
const SAME_IN_QUERY = /[:/]/;

/**
 * Brings a piece of a rule's pattern, or the path and query of a URL, to the form in which the two are compared
 * (RFC 9309 §2.2.2): escapes of unreserved characters decoded, once; other escapes in upper case; octets outside of
 * visible ASCII, `*` and `$` escaped. `octets` has character codes up to 255; `inQuery` says that a `?` came before.
 */
export function normalizeRobotsPath(octets: string, inQuery = false): string {
  const question = inQuery ? 0 : octets.indexOf('?');
  if (question < 0) return escapeAndDecode(octets, UNRESERVED);
  return (
    escapeAndDecode(octets.slice(0, question), UNRESERVED) +
    escapeAndDecode(octets.slice(question), UNRESERVED, SAME_IN_QUERY)
  );
}

function escapeAndDecode(octets: string, ...plain: readonly RegExp[]): string {
  return octets.replace(TO_ENCODE, (found) => {
    if (found.length === 1) return `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
    const decoded = String.fromCharCode(Number.parseInt(found.slice(1), 16));
    return plain.some((characters) => characters.test(decoded)) ? decoded : found.toUpperCase();
  });
}
