import { canonicalizeUrl } from '@decorum/policy/url/canonicalize-url.ts';
import { originOf } from '@decorum/policy/url/origin-of.ts';
import { siteOf } from '@decorum/policy/url/site-of.ts';
import { DomainError } from '../runtime/domain-error.ts';

/** A name or an address in the spelling of URLs, nothing around it. */
const FORM = /^(?:\[[0-9a-f:.]+\]|[^\s/@?#\\:[\]]+)$/i;

/** Reads a host as a person writes it into the spelling that URLs get. Throws `invalid` (INVALID_HOST) naming `field`. */
export function parseHostName(field: string, text: string): string {
  const canonical = FORM.test(text) ? canonicalizeUrl(`http://${text}/`) : undefined;
  if (canonical?.ok === true) return originOf(canonical.url).host;
  throw new DomainError({
    kind: 'invalid',
    reason: 'INVALID_HOST',
    field,
    message: 'give a host name or an IP address by itself, without scheme, port or path',
  });
}

/** The same for a site: a registrable domain. Throws `invalid` (INVALID_SITE) for a host that lies below one. */
export function parseSiteName(field: string, text: string): string {
  const host = parseHostName(field, text);
  const site = siteOf(host);
  if (site === host) return site;
  throw new DomainError({
    kind: 'invalid',
    reason: 'INVALID_SITE',
    field,
    message: `give the registrable domain; ${host} belongs to the site ${site}`,
  });
}
