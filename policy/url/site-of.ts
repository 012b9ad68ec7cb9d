import { getDomain } from 'tldts';

/**
 * The public suffix list in use, to be recorded with what depends on it: the list is the one that this exact release of
 * tldts carries.
 */
export const SUFFIX_LIST_VERSION = 'tldts 7.6.0';

/** Without tldts' own check of host names: it gives up on hosts that DNS does resolve, and each would be its own site. */
const SUFFIX_LIST = { allowPrivateDomains: true, extractHostname: false, validateHostname: false } as const;

/**
 * The site of a host: its registrable domain by the public suffix list, private section included, so that two customers
 * of one hosting suffix are two sites. An IP literal, and a host without a registrable domain (`localhost`, or a bare
 * suffix such as `github.io`), is its own site. `host` is what `originOf` returns; a final dot and upper case are
 * tolerated.
 */
export function siteOf(host: string): string {
  const name = host.toLowerCase().replace(/\.$/, '');
  return getDomain(name, SUFFIX_LIST) ?? name;
}
