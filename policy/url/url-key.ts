import { collapseUrl, COLLAPSE_RULES_VERSION, type CollapseRulesVersion } from './collapse-url.ts';
import { urlHash } from './url-hash.ts';

/**
 * The identity of a document for `only_if_new` and for the reach of a takedown: the hash of the collapsed URL, 128 bits.
 * Store it with its rules version; keys of two versions are never compared.
 */
export function urlKey(
  canonicalUrl: string,
  rulesVersion: CollapseRulesVersion = COLLAPSE_RULES_VERSION,
): Uint8Array {
  return urlHash(collapseUrl(canonicalUrl, rulesVersion));
}
