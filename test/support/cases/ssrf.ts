import { chooseAddress } from '@decorum/policy/address/choose-address.ts';
import { decideAddress } from '@decorum/policy/address/decide-address.ts';
import { classifyUrl } from '@decorum/policy/url/classify-url.ts';
import { ipLiteral } from '@decorum/policy/url/ip-literal.ts';
import { judgeEach, type CaseRunner } from './case-runner.ts';

type SsrfCase = {
  readonly id: string;
  readonly kind: 'address' | 'url' | 'resolved' | 'redirect';
  readonly input: string;
  readonly expected: string;
  /** By name, one list of answers for each successive look-up. */
  readonly dns?: Readonly<Record<string, readonly (readonly string[])[]>>;
  readonly chain?: readonly string[];
};

/** Where the last hop's socket goes, and where it may go when that fails; or the hop at which the fetcher stops. */
type Fetch =
  | { readonly kind: 'connected'; readonly socket: string; readonly fallbacks: readonly string[] }
  | { readonly kind: 'blocked'; readonly hop: number; readonly reason: string };

/** Judges to which addresses, URLs, resolver answers and redirects a socket may be opened. Opens none. */
export const runCases: CaseRunner = (file) => judgeEach(file.cases as readonly SsrfCase[], judge);

function judge(one: SsrfCase): string | undefined {
  const fetch = one.kind === 'address' ? fetchAddress(one.input) : fetchChain(one);
  if (isExpected(one.expected, fetch)) return undefined;
  const got =
    fetch.kind === 'connected' ? `a socket to ${fetch.socket}` : `blocked at ${fetch.hop}: ${fetch.reason}`;
  return `expected ${one.expected}, got ${got}`;
}

function fetchAddress(ip: string): Fetch {
  const decision = decideAddress(ip);
  if (decision.kind === 'public') return { kind: 'connected', socket: ip, fallbacks: [] };
  return { kind: 'blocked', hop: 0, reason: decision.reason };
}

/** Follows the chain as the platform does: each hop is classified, resolved once, and pinned. */
function fetchChain({ input, chain = [input], dns = {} }: SsrfCase): Fetch {
  const resolve = createResolver(dns);
  let fetch: Fetch = { kind: 'blocked', hop: 0, reason: 'empty chain' };
  let base: string | undefined;
  for (const [hop, reference] of chain.entries()) {
    const url = classifyUrl(reference, { base });
    if (!url.ok) return { kind: 'blocked', hop, reason: `${url.reason} ${url.detail}` };
    const literal = ipLiteral(url.host);
    const choice = chooseAddress(literal === undefined ? resolve(url.host) : [literal]);
    if (choice.kind === 'refused') return { kind: 'blocked', hop, reason: choice.reason };
    fetch = { kind: 'connected', socket: choice.ip, fallbacks: choice.fallbacks };
    base = url.url;
  }
  return fetch;
}

/** Successive look-ups of a name get successive answers, the last one for ever; unknown names get none. */
function createResolver(dns: NonNullable<SsrfCase['dns']>): (host: string) => readonly string[] {
  const lookups = new Map<string, number>();
  return (host) => {
    const nth = lookups.get(host) ?? 0;
    lookups.set(host, nth + 1);
    const answers = dns[host] ?? [];
    return answers[Math.min(nth, answers.length - 1)] ?? [];
  };
}

function isExpected(expected: string, fetch: Fetch): boolean {
  const [verdict, argument] = splitVerdict(expected);
  switch (verdict) {
    case 'either':
      return true;
    case 'allow':
      return fetch.kind === 'connected';
    case 'block':
      return fetch.kind === 'blocked';
    case 'block-at':
      return fetch.kind === 'blocked' && fetch.hop === Number(argument);
    case 'block-or-pin':
      return fetch.kind === 'blocked' || [fetch.socket, ...fetch.fallbacks].every(isPublic);
    case 'connect':
      return fetch.kind === 'connected' && fetch.socket === argument && fetch.fallbacks.every(isPublic);
    default:
      throw new Error(`unknown verdict ${expected}`);
  }
}

function isPublic(ip: string): boolean {
  return decideAddress(ip).kind === 'public';
}

function splitVerdict(expected: string): [verdict: string, argument: string] {
  const at = expected.indexOf(':');
  return at < 0 ? [expected, ''] : [expected.slice(0, at), expected.slice(at + 1)];
}
