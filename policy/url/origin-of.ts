/** A canonical URL's scheme, host and port, as robots.txt and leases know it. */
export type UrlOrigin = {
  readonly scheme: 'http' | 'https';
  /** DNS name in A-labels without final dot, or IP literal (IPv6 in brackets). */
  readonly host: string;
  /** The default port of the scheme where the URL names none. */
  readonly port: number;
  /** `https://host[:port]`: the port only when it is not the scheme's default. */
  readonly origin: string;
};

/** Splits the origin off a URL that `canonicalizeUrl` returned. Throws on any other text. */
export function originOf(canonicalUrl: string): UrlOrigin {
  const { protocol, hostname, port, origin } = new URL(canonicalUrl);
  const scheme = protocol === 'https:' ? 'https' : 'http';
  const defaultPort = scheme === 'https' ? 443 : 80;
  return { scheme, host: hostname, port: port === '' ? defaultPort : Number(port), origin };
}
