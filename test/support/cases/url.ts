import { canonicalizeUrl } from '@decorum/policy/url/canonicalize-url.ts';
import { ipLiteral } from '@decorum/policy/url/ip-literal.ts';
import { originOf } from '@decorum/policy/url/origin-of.ts';
import { siteOf } from '@decorum/policy/url/site-of.ts';
import { judgeEach, type CaseRunner } from './case-runner.ts';

type UrlCase = {
  readonly id: string;
  readonly input: string;
  readonly base?: string;
  readonly expected: string | null;
  readonly either?: readonly (string | null)[];
  readonly registered_domain: string | null;
  readonly either_rd?: readonly (string | null)[];
};

/** Judges canonical URLs, that canonicalising them again changes nothing, and the sites of their hosts. */
export const runCases: CaseRunner = (file) => judgeEach(file.cases as readonly UrlCase[], judge);

function judge(one: UrlCase): string | undefined {
  const result = canonicalizeUrl(one.input, one.base);
  const url = result.ok ? result.url : null;
  if (![one.expected, ...(one.either ?? [])].includes(url)) {
    return `expected ${String(one.expected)}, got ${result.ok ? result.url : result.reason}`;
  }
  return url === null ? undefined : (judgeIdempotence(url) ?? judgeSite(one, url));
}

function judgeIdempotence(url: string): string | undefined {
  const again = canonicalizeUrl(url);
  if (again.ok && again.url === url) return undefined;
  return `${url} became ${again.ok ? again.url : again.reason} when canonicalised again`;
}

/** A host without a registrable domain is its own site; the cases say null for it. */
function judgeSite(one: UrlCase, url: string): string | undefined {
  const { host } = originOf(url);
  const site = siteOf(host);
  const accepted = [one.registered_domain, ...(one.either_rd ?? [])];
  if (accepted.includes(site) || (site === host && accepted.includes(null))) return undefined;
  const suffix = ipLiteral(host) === undefined ? '' : ' for an IP literal';
  return `expected the site ${String(one.registered_domain)}, got ${site}${suffix}`;
}
