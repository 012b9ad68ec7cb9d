import { isIPv4 } from 'node:net';

/** The 4 or 16 bytes of a valid IP address without zone, most significant first. Throws on other text. */
export function ipBytes(ip: string): Uint8Array {
  if (isIPv4(ip)) return Uint8Array.from(ip.split('.'), Number);
  const groups = ipv6Groups(ip);
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

/** The canonical text (RFC 5952) of the address that these 4 or 16 bytes are. */
export function ipText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups: string[] = [];
  for (let at = 0; at < bytes.length; at += 2)
    groups.push((((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16));
  return canonicalIpv6(groups.join(':'));
}

/** The bytes of an address with all but the first `prefixBits` cleared. */
export function maskBytes(bytes: Uint8Array, prefixBits: number): Uint8Array {
  return bytes.map((byte, at) => {
    const kept = Math.min(8, Math.max(0, prefixBits - 8 * at));
    return byte & (0xff << (8 - kept));
  });
}

/** The URL parser spells all forms, embedded IPv4 among them, as hexadecimal groups with one `::` at most. */
function ipv6Groups(ip: string): number[] {
  const [head = '', tail] = canonicalIpv6(ip).split('::');
  const before = hexGroups(head);
  const after = hexGroups(tail ?? '');
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function hexGroups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function canonicalIpv6(ip: string): string {
  return new URL(`http://[${ip}]/`).hostname.slice(1, -1);
}
