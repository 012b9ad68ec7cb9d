import { ipBytes, ipText, maskBytes } from './ip-bytes.ts';

/**
 * The key of the gate that an address's connections pass (M2), whatever its spelling: an IPv4 address itself, an IPv6
 * address by its /64, which one machine usually has to itself (`2001:db8:1:2::/64`). Throws on text that is no address.
 */
export function addressGate(ip: string): string {
  const bytes = ipBytes(ip);
  return bytes.length === 4 ? ipText(bytes) : networkText(bytes, 64);
}

/** The network that is judged as a whole when we are unwelcome: IPv4 /24, IPv6 /48. Throws on text that is no address. */
export function networkOf(ip: string): string {
  const bytes = ipBytes(ip);
  return networkText(bytes, bytes.length === 4 ? 24 : 48);
}

function networkText(bytes: Uint8Array, prefixBits: number): string {
  return `${ipText(maskBytes(bytes, prefixBits))}/${prefixBits}`;
}
