import { isIPv4 } from 'node:net';

/** The address that the host of a canonical URL is (IPv6 without its brackets), or nothing when the host is a name. */
export function ipLiteral(host: string): string | undefined {
  if (host.startsWith('[')) return host.slice(1, -1);
  return isIPv4(host) ? host : undefined;
}
