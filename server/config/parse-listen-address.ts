import { isIPv4, isIPv6 } from 'node:net';

/** Where a server listens. */
export type ListenAddress = {
  /** An IP address without brackets, or a host name. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
};

/** Reads `host:port` or `[IPv6]:port`; undefined for anything else. The host is never left out. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[(?<ipv6>[0-9a-fA-F:.]+)\]|(?<host>[A-Za-z0-9.-]+)):(?<port>[0-9]{1,5})$/.exec(text);
  const port = Number(match?.groups?.['port']);
  const ipv6 = match?.groups?.['ipv6'];
  const host = ipv6 ?? match?.groups?.['host'];
  if (host === undefined || port > 65_535) return undefined;
  if (ipv6 !== undefined && !isIPv6(ipv6)) return undefined;
  if (/^[0-9.]+$/.test(host) && !isIPv4(host)) return undefined;
  return { host, port };
}

/** The text that `parseListenAddress` reads. */
export function formatListenAddress({ host, port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Only this machine can reach it. */
export function isLoopback({ host }: ListenAddress): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
