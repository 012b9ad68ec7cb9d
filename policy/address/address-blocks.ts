import { BlockList, isIPv4 } from 'node:net';

/**
 * A set of CIDR blocks. The families are kept apart because `BlockList` takes an IPv4 address for its IPv4-mapped IPv6
 * form and the reverse: a rule for `::/8` would match all of IPv4.
 */
export type AddressBlocks = { readonly ipv4: BlockList; readonly ipv6: BlockList };

/** Makes the set of these CIDR blocks. Throws on text that is none; `parseAllowAddresses` reads text from outside. */
export function createAddressBlocks(cidrs: readonly string[]): AddressBlocks {
  const blocks = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const cidr of cidrs) {
    const [base = '', prefix = ''] = cidr.split('/');
    if (isIPv4(base)) blocks.ipv4.addSubnet(base, Number(prefix), 'ipv4');
    else blocks.ipv6.addSubnet(base, Number(prefix), 'ipv6');
  }
  return blocks;
}

/** Whether an IP address (valid, without zone) lies in one of the blocks of its own family. */
export function isInBlocks(blocks: AddressBlocks, ip: string): boolean {
  return isIPv4(ip) ? blocks.ipv4.check(ip, 'ipv4') : blocks.ipv6.check(ip, 'ipv6');
}
