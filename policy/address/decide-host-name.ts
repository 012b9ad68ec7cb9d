/**
 * Names that must not reach ordinary DNS, or that lead inside: loopback (RFC 6761), multicast DNS (RFC 6762), onion
 * services (RFC 7686), home and private networks (RFC 8375, ICANN's `internal`), other name systems (RFC 9476).
 */
const SPECIAL_USE_DOMAINS = ['localhost', 'local', 'onion', 'home.arpa', 'internal', 'alt'];

/** `SINGLE_LABEL`: resolvers complete such a name with their own search domains. */
export type HostNameDecision =
  | { readonly kind: 'resolvable' }
  | { readonly kind: 'refused'; readonly reason: 'SPECIAL_USE_NAME' | 'SINGLE_LABEL' };

/**
 * Decides whether the name of a host (as `originOf` gives it, no IP literal) may be asked of DNS at all. What it
 * resolves to is judged by `chooseAddress`.
 */
export function decideHostName(host: string): HostNameDecision {
  if (SPECIAL_USE_DOMAINS.some((domain) => host === domain || host.endsWith(`.${domain}`))) {
    return { kind: 'refused', reason: 'SPECIAL_USE_NAME' };
  }
  return host.includes('.') ? { kind: 'resolvable' } : { kind: 'refused', reason: 'SINGLE_LABEL' };
}
