import type { AddressBlocks } from '../address/address-blocks.ts';
import { decideAddress } from '../address/decide-address.ts';
import { decideHostName } from '../address/decide-host-name.ts';
import { canonicalizeUrl, type UrlRefusal } from './canonicalize-url.ts';
import { COLLAPSE_RULES_VERSION, type CollapseRulesVersion } from './collapse-url.ts';
import { decideUrlCaps, type UrlCap } from './decide-url-caps.ts';
import { ipLiteral } from './ip-literal.ts';
import { originOf, type UrlOrigin } from './origin-of.ts';
import { siteOf } from './site-of.ts';
import { urlHash } from './url-hash.ts';
import { urlKey } from './url-key.ts';

/** All that is known of a URL from its text alone. */
export type ClassifiedUrl = {
  readonly ok: true;
  /** The canonical URL: what is requested. */
  readonly url: string;
  /** 16 bytes. */
  readonly urlHash: Uint8Array;
  /** 16 bytes, under the rules of `urlKeyVersion`. */
  readonly urlKey: Uint8Array;
  readonly urlKeyVersion: CollapseRulesVersion;
  readonly host: string;
  readonly site: string;
  readonly origin: UrlOrigin;
};

/**
 * A refusal in Submit's words; `detail` says which rule. `ADDRESS_FORBIDDEN`: an IP literal that is not public, or a name
 * that leads inside or must not be asked of DNS.
 */
export type UnclassifiedUrl =
  | { readonly ok: false; readonly reason: 'INVALID_URL'; readonly detail: UrlRefusal | UrlCap }
  | { readonly ok: false; readonly reason: 'TRAP'; readonly detail: UrlCap }
  | { readonly ok: false; readonly reason: 'ADDRESS_FORBIDDEN'; readonly detail: string };

/** What `classifyUrl` may be told: the base of a relative reference, and addresses that pass as public. */
export type ClassifyUrlOptions = {
  readonly base?: string | undefined;
  readonly exempt?: AddressBlocks | undefined;
};

/**
 * Answers everything that Submit and a redirect's hop need to know about a URL before policy and quota are asked, or why
 * it is refused. The URL is canonical in the answer; the caller's spelling is not kept.
 */
export function classifyUrl(
  input: string,
  options: ClassifyUrlOptions = {},
): ClassifiedUrl | UnclassifiedUrl {
  const canonical = canonicalizeUrl(input, options.base);
  if (!canonical.ok) return { ok: false, reason: 'INVALID_URL', detail: canonical.reason };
  const { url } = canonical;
  const caps = decideUrlCaps(url);
  if (!caps.ok) return { ok: false, reason: caps.reason, detail: caps.cap };
  const origin = originOf(url);
  const hostRefusal = refusalOfHost(origin.host, options.exempt);
  if (hostRefusal !== undefined) return { ok: false, reason: 'ADDRESS_FORBIDDEN', detail: hostRefusal };
  return {
    ok: true,
    url,
    urlHash: urlHash(url),
    urlKey: urlKey(url),
    urlKeyVersion: COLLAPSE_RULES_VERSION,
    host: origin.host,
    site: siteOf(origin.host),
    origin,
  };
}

function refusalOfHost(host: string, exempt: AddressBlocks | undefined): string | undefined {
  const literal = ipLiteral(host);
  const decision = literal === undefined ? decideHostName(host) : decideAddress(literal, exempt);
  return decision.kind === 'refused' ? decision.reason : undefined;
}
