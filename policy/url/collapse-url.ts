/**
 * The rules under which new keys are made. Keys are stored with their version; a rule that changes becomes a new
 * version, and the old one stays for the keys that it made.
 */
export const COLLAPSE_RULES_VERSION = 1;

/** A version of the collapse rules; every version that stored keys may carry. */
export type CollapseRulesVersion = typeof COLLAPSE_RULES_VERSION;

const COLLAPSE: Readonly<Record<CollapseRulesVersion, (url: string) => string>> = { 1: collapseV1 };

/**
 * The text that stands for all canonical URLs that lead to one document: without tracking and session parameters, the
 * others sorted by name. Made to be hashed (`urlKey`), never to be requested. Idempotent within a version.
 */
export function collapseUrl(
  canonicalUrl: string,
  version: CollapseRulesVersion = COLLAPSE_RULES_VERSION,
): string {
  return COLLAPSE[version](canonicalUrl);
}

const TRACKING_PREFIXES = ['utm_', 'mtm_'];
const TRACKING_PARAMETERS = new Set([
  ...[
    'gclid',
    'gclsrc',
    'dclid',
    'gbraid',
    'wbraid',
    'srsltid',
    '_ga',
    '_gl',
    'fbclid',
    'msclkid',
    'yclid',
    'ysclid',
  ],
  ...[
    'twclid',
    'ttclid',
    'igshid',
    'li_fat_id',
    'epik',
    'mc_cid',
    'mc_eid',
    '_hsenc',
    '_hsmi',
    'mkt_tok',
    'vero_id',
  ],
  ...['oly_anon_id', 'oly_enc_id', 'pk_campaign', 'pk_kwd'],
]);

const SESSION_PREFIXES = ['aspsessionid'];
const SESSION_PARAMETERS = new Set(['phpsessid', 'jsessionid', 'cfid', 'cftoken', 'oscsid', 'zenid']);

/** These name a story, a shop or a talk as often as a visit: a session only with a value that looks drawn at random. */
const AMBIGUOUS_SESSION_PARAMETERS = new Set(['sid', 'session', 'sessid', 'sessionid', 'session_id']);
const RANDOM_VALUE = /^(?=.*[a-z])(?=.*[0-9])[a-z0-9]{8,}$/i;

function collapseV1(url: string): string {
  const [base, query = ''] = splitOnce(url, '?');
  const parameters = query
    .split('&')
    .filter((parameter) => parameter !== '' && !isTracking(parameter) && !isSession(parameter))
    .map((parameter) => ({ name: nameOf(parameter), parameter }))
    .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
    .map(({ parameter }) => parameter);
  const path = base.includes(';') ? withoutPathSessions(base) : base;
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`;
}

function isTracking(parameter: string): boolean {
  const name = nameOf(parameter).toLowerCase();
  return TRACKING_PARAMETERS.has(name) || TRACKING_PREFIXES.some((prefix) => name.startsWith(prefix));
}

function isSession(parameter: string): boolean {
  const [rawName, value = ''] = splitOnce(parameter, '=');
  const name = rawName.toLowerCase();
  if (AMBIGUOUS_SESSION_PARAMETERS.has(name)) return RANDOM_VALUE.test(value);
  return SESSION_PARAMETERS.has(name) || SESSION_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/** `/cart;jsessionid=1A2B/x` carries the session as a parameter of a path segment (RFC 3986 §3.3). */
function withoutPathSessions(base: string): string {
  return base.replace(/;([^/;]*)/g, (whole, parameter: string) => (isSession(parameter) ? '' : whole));
}

function nameOf(parameter: string): string {
  return splitOnce(parameter, '=')[0];
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
