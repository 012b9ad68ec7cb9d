/** One `host:port` that a channel may dial. The host is a name or an IP literal without brackets. */
export type Address = { readonly host: string; readonly port: number };

/** Where a channel connects to: every address serves the same API. */
export type AddressList = {
  /** TLS with verified certificates; otherwise HTTP/2 with prior knowledge (h2c). */
  readonly secure: boolean;
  readonly addresses: readonly Address[];
};

const ADDRESSES_MAX = 64;

/**
 * Reads `DECORUM_URL`: `http://` (h2c) or `https://` URLs of the API, separated by commas.
 *
 * Paths and queries are refused, because gRPC method paths start at the root; schemes can't be mixed, because one key is
 * sent to all of them. Default ports are 80 and 443. Throws a `TypeError` that names the part it can't read.
 */
export function parseAddresses(urls: string): AddressList {
  const parts = urls
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length === 0)
    throw new TypeError('no API address was given; expected one as in http://127.0.0.1:7070');
  if (parts.length > ADDRESSES_MAX)
    throw new TypeError(`more than ${ADDRESSES_MAX} API addresses were given`);
  const parsed = parts.map(parseUrl);
  const secure = parsed.every((url) => url.protocol === 'https:');
  if (!secure && parsed.some((url) => url.protocol === 'https:')) {
    throw new TypeError(
      'http:// and https:// addresses can not be mixed: the key would also travel in the clear',
    );
  }
  return { secure, addresses: parsed.map(toAddress) };
}

function parseUrl(part: string): URL {
  const url = URL.parse(part);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new TypeError(`"${part}" is no API address; expected one as in http://127.0.0.1:7070`);
  }
  if (
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== '' ||
    url.password !== ''
  ) {
    throw new TypeError(`the API address ${url.protocol}//${url.host} takes no path, query or user name`);
  }
  return url;
}

function toAddress(url: URL): Address {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port };
}

/** Writes an address as `host:port`, an IPv6 literal in brackets. */
export function formatAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
