import { isIP } from 'node:net';

import { createAddressBlocks, isInBlocks, type AddressBlocks } from './address-blocks.ts';
import {
  GLOBAL_UNICAST_IPV6,
  SPECIAL_PURPOSE_BLOCKS_IPV4,
  SPECIAL_PURPOSE_BLOCKS_IPV6,
} from './special-purpose-blocks.ts';

/** Why we connect to no such address; `purpose` names the block in words, for people. */
export type AddressRefusal =
  | { readonly kind: 'refused'; readonly reason: 'NOT_AN_ADDRESS' }
  | { readonly kind: 'refused'; readonly reason: 'NOT_GLOBAL_UNICAST' }
  | { readonly kind: 'refused'; readonly reason: 'SPECIAL_PURPOSE'; readonly purpose: string };

/** `public`: a connection may be opened to it. */
export type AddressDecision = { readonly kind: 'public' } | AddressRefusal;

const SPECIAL_PURPOSE_BLOCKS = [...SPECIAL_PURPOSE_BLOCKS_IPV4, ...SPECIAL_PURPOSE_BLOCKS_IPV6];
const SPECIAL_PURPOSE = createAddressBlocks(SPECIAL_PURPOSE_BLOCKS.map(({ cidr }) => cidr));
const PURPOSES = SPECIAL_PURPOSE_BLOCKS.map(({ cidr, purpose }) => ({
  blocks: createAddressBlocks([cidr]),
  purpose,
}));
const GLOBAL_UNICAST = createAddressBlocks([GLOBAL_UNICAST_IPV6]);
const NOTHING = createAddressBlocks([]);

/**
 * M5: decides whether the fetcher may open a connection to an address: only to globally routable unicast, or to what
 * `exempt` (from `parseAllowAddresses`) names. Takes the forms that a resolver and the URL parser give, and refuses
 * every other text, zone identifiers among them.
 */
export function decideAddress(ip: string, exempt: AddressBlocks = NOTHING): AddressDecision {
  const family = ip.includes('%') ? 0 : isIP(ip);
  if (family === 0) return { kind: 'refused', reason: 'NOT_AN_ADDRESS' };
  if (isInBlocks(exempt, ip)) return { kind: 'public' };
  if (family === 6 && !isInBlocks(GLOBAL_UNICAST, ip))
    return { kind: 'refused', reason: 'NOT_GLOBAL_UNICAST' };
  if (!isInBlocks(SPECIAL_PURPOSE, ip)) return { kind: 'public' };
  return { kind: 'refused', reason: 'SPECIAL_PURPOSE', purpose: purposeOf(ip) };
}

function purposeOf(ip: string): string {
  return PURPOSES.find(({ blocks }) => isInBlocks(blocks, ip))?.purpose ?? 'special purpose';
}
