/** An address block that no site of the public web lives in, with the document that sets it apart. */
export type SpecialPurposeBlock = {
  readonly cidr: string;
  readonly purpose: string;
  readonly source: string;
};

/**
 * IPv4: the IANA Special-Purpose Address Registry, multicast and class E, and the one cloud service that sits on a
 * public-looking address. Blocks that the registry calls globally reachable (AS112, AMT, port control) are among them:
 * they are infrastructure without content.
 */
export const SPECIAL_PURPOSE_BLOCKS_IPV4: readonly SpecialPurposeBlock[] = [
  { cidr: '0.0.0.0/8', purpose: 'this network', source: 'RFC 791 §3.2' },
  { cidr: '10.0.0.0/8', purpose: 'private use', source: 'RFC 1918' },
  { cidr: '100.64.0.0/10', purpose: 'shared address space', source: 'RFC 6598' },
  { cidr: '127.0.0.0/8', purpose: 'loopback', source: 'RFC 1122 §3.2.1.3' },
  {
    cidr: '168.63.129.16/32',
    purpose: 'Azure platform service',
    source: 'Azure virtual network documentation',
  },
  { cidr: '169.254.0.0/16', purpose: 'link local', source: 'RFC 3927' },
  { cidr: '172.16.0.0/12', purpose: 'private use', source: 'RFC 1918' },
  { cidr: '192.0.0.0/24', purpose: 'IETF protocol assignments', source: 'RFC 6890 §2.1' },
  { cidr: '192.0.2.0/24', purpose: 'documentation', source: 'RFC 5737' },
  { cidr: '192.31.196.0/24', purpose: 'AS112', source: 'RFC 7535' },
  { cidr: '192.52.193.0/24', purpose: 'AMT', source: 'RFC 7450' },
  { cidr: '192.88.99.0/24', purpose: '6to4 relay, deprecated', source: 'RFC 7526' },
  { cidr: '192.168.0.0/16', purpose: 'private use', source: 'RFC 1918' },
  { cidr: '192.175.48.0/24', purpose: 'AS112', source: 'RFC 7534' },
  { cidr: '198.18.0.0/15', purpose: 'benchmarking', source: 'RFC 2544' },
  { cidr: '198.51.100.0/24', purpose: 'documentation', source: 'RFC 5737' },
  { cidr: '203.0.113.0/24', purpose: 'documentation', source: 'RFC 5737' },
  { cidr: '224.0.0.0/4', purpose: 'multicast', source: 'RFC 5771' },
  { cidr: '240.0.0.0/4', purpose: 'reserved, limited broadcast', source: 'RFC 1112 §4' },
];

/** The IPv6 addresses that are allocated at all for global unicast (RFC 4291 §2.4; IANA IPv6 Address Space). */
export const GLOBAL_UNICAST_IPV6 = '2000::/3';

/**
 * The special blocks inside 2000::/3. Everything outside needs no list: loopback, IPv4 in mapped, compatible, translated
 * and NAT64 clothes, unique local, link and site local, multicast, discard.
 */
export const SPECIAL_PURPOSE_BLOCKS_IPV6: readonly SpecialPurposeBlock[] = [
  {
    cidr: '2001::/23',
    purpose: 'IETF protocol assignments, Teredo among them',
    source: 'RFC 2928, RFC 4380',
  },
  { cidr: '2001:db8::/32', purpose: 'documentation', source: 'RFC 3849' },
  { cidr: '2002::/16', purpose: '6to4, carries an IPv4 address', source: 'RFC 3056' },
  { cidr: '2620:4f:8000::/48', purpose: 'AS112', source: 'RFC 7534' },
  { cidr: '3fff::/20', purpose: 'documentation', source: 'RFC 9637' },
];
