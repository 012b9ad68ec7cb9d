import { domainToUnicode } from 'node:url';

import { BAD_PORTS } from './bad-ports.ts';
import { normalizeEscapes } from './normalize-escapes.ts';

/** The longest canonical URL we take, in bytes (a canonical URL is ASCII). `decideUrlCaps` holds it. */
export const URL_BYTES_MAX = 2048;

/** The longest host name and label that DNS can carry, in bytes (RFC 1035 §2.3.4; a name without its final dot). */
export const HOST_BYTES_MAX = 253;
/** See HOST_BYTES_MAX. */
export const LABEL_BYTES_MAX = 63;

/**
 * Why a text names nothing that we could request: no URL at all (WHATWG parse failure), not http or https, a port that
 * Fetch forbids (0 included), or a host that no resolver can answer for (empty or overlong labels, invalid A-labels,
 * a `*`).
 */
export type UrlRefusal = 'UNPARSABLE' | 'SCHEME' | 'PORT' | 'HOST';

/** What `canonicalizeUrl` answers. */
export type CanonicalUrl =
  { readonly ok: true; readonly url: string } | { readonly ok: false; readonly reason: UrlRefusal };

/**
 * Gives the one spelling under which a URL is requested, hashed and coalesced: WHATWG parse (against `base`, if given),
 * without fragment and userinfo, escapes normalised (RFC 3986 §6.2.2), `^` encoded since parsers differ over it, and no
 * final dot of the host, so that one host has one gate. Nothing else changes: parameters keep order and spelling, an
 * empty query keeps its `?`. Idempotent. Length is not judged here but in `decideUrlCaps`.
 */
export function canonicalizeUrl(input: string, base?: string): CanonicalUrl {
  const url = URL.parse(input, base);
  if (url === null) return refuse('UNPARSABLE');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refuse('SCHEME');
  if (url.port !== '' && BAD_PORTS.has(Number(url.port))) return refuse('PORT');
  dropUnsent(url);
  const host = url.hostname.endsWith('.') ? url.hostname.slice(0, -1) : url.hostname;
  if (!isResolvable(host)) return refuse('HOST');
  const pathAndQuery = url.href.slice(url.origin.length);
  const port = url.port === '' ? '' : `:${url.port}`;
  return {
    ok: true,
    url: `${url.protocol}//${host}${port}${normalizeEscapes(pathAndQuery.replaceAll('^', '%5E'))}`,
  };
}

/** Each setter parses the URL again, even to no effect; most URLs need none (a lone `#` is not in `hash`). */
function dropUnsent(url: URL): void {
  if (url.href.includes('#')) url.hash = '';
  if (url.username !== '') url.username = '';
  if (url.password !== '') url.password = '';
}

function refuse(reason: UrlRefusal): CanonicalUrl {
  return { ok: false, reason };
}

function isResolvable(host: string): boolean {
  if (host.startsWith('[')) return true;
  if (host.length > HOST_BYTES_MAX || !host.split('.').every(isLabel)) return false;
  return !hasInvalidALabel(host);
}

function isLabel(label: string): boolean {
  return label.length > 0 && label.length <= LABEL_BYTES_MAX && !label.includes('*');
}

/** UTS #46 with IgnoreInvalidPunycode=false, as the URL standard asks; the runtime's parser skips it for ASCII hosts. */
function hasInvalidALabel(host: string): boolean {
  if (!host.includes('xn--')) return false;
  return domainToUnicode(host)
    .split('.')
    .some((label) => label.startsWith('xn--'));
}
