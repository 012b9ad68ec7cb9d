import { isIP } from 'node:net';

import { createAddressBlocks, isInBlocks, type AddressBlocks } from './address-blocks.ts';
import { ipBytes, ipText, maskBytes } from './ip-bytes.ts';

/**
 * What no exemption may touch: where our own services listen, the addresses that reach them by another spelling, and the
 * link-local range where clouds keep their credentials. `::/8` holds `::1`, `::` and IPv4 in mapped, compatible and
 * NAT64 form.
 */
const NEVER_EXEMPT = ['127.0.0.0/16', '0.0.0.0/8', '169.254.0.0/16', '::/8', 'fe80::/10'];

/** What is wrong with an entry; `message` is a sentence for the operator. */
export type AllowAddressesError = {
  readonly entry: string;
  readonly reason: 'NOT_A_CIDR' | 'HOST_BITS' | 'NEVER_EXEMPT';
  readonly message: string;
};

/** What `parseAllowAddresses` answers. */
export type AllowAddresses =
  | { readonly ok: true; readonly exempt: AddressBlocks }
  | { readonly ok: false; readonly error: AllowAddressesError };

/**
 * Reads a comma-separated list of CIDR blocks that `decideAddress` shall take for public, for tests on loopback
 * addresses. Empty text exempts nothing. The whole list is refused for one entry that is no CIDR block, has bits set
 * beyond its prefix, or overlaps what must never be exempt (127.0.0.1 first of all).
 */
export function parseAllowAddresses(text: string): AllowAddresses {
  const entries = text.trim() === '' ? [] : text.split(',').map((entry) => entry.trim());
  for (const entry of entries) {
    const error = entryError(entry);
    if (error !== undefined) return { ok: false, error };
  }
  return { ok: true, exempt: createAddressBlocks(entries) };
}

function entryError(entry: string): AllowAddressesError | undefined {
  const cidr = parseCidr(entry);
  if (cidr === undefined) {
    return { entry, reason: 'NOT_A_CIDR', message: `"${entry}" is no CIDR block such as 127.64.0.0/10` };
  }
  const network = ipText(maskBytes(ipBytes(cidr.base), cidr.prefixBits));
  if (network !== ipText(ipBytes(cidr.base))) {
    const message = `"${entry}" has bits set beyond its prefix; write ${network}/${cidr.prefixBits}`;
    return { entry, reason: 'HOST_BITS', message };
  }
  const never = NEVER_EXEMPT.find((block) => overlaps(block, entry));
  if (never === undefined) return undefined;
  return { entry, reason: 'NEVER_EXEMPT', message: `"${entry}" overlaps ${never}, which is never exempt` };
}

function parseCidr(entry: string): { base: string; prefixBits: number } | undefined {
  const [base = '', prefix = '', ...rest] = entry.split('/');
  const family = base.includes('%') ? 0 : isIP(base);
  const prefixBits = Number(prefix);
  if (family === 0 || rest.length > 0 || !/^(?:0|[1-9][0-9]{0,2})$/.test(prefix)) return undefined;
  return prefixBits <= (family === 4 ? 32 : 128) ? { base, prefixBits } : undefined;
}

/** Of two blocks that share an address, one holds the other's first. */
function overlaps(a: string, b: string): boolean {
  return holdsBase(a, b) || holdsBase(b, a);
}

function holdsBase(outer: string, inner: string): boolean {
  const base = inner.split('/')[0] ?? '';
  return isInBlocks(createAddressBlocks([outer]), base);
}
