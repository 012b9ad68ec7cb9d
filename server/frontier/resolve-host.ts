import { Resolver } from 'node:dns/promises';
import { ipLiteral } from '@decorum/policy/url/ip-literal.ts';

/** What a host's name resolved to. `failed`: the resolver gave no answer; `none`: there is no address. */
export type HostAnswer =
  | { readonly kind: 'addresses'; readonly ips: readonly string[]; readonly ttlS: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly code: string };

/** Resolves one host. */
export type ResolveHost = (host: string) => Promise<HostAnswer>;

/** One question to one server; c-ares doubles it with each try. */
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

/** Codes that say that a name has no address of a kind, as against that nobody could tell. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Makes a resolver that asks the given servers ("ip" or "ip:port"; none: the system's) and no hosts file. A and AAAA are
 * both asked; an IP literal is its own answer.
 */
export function createHostResolver(servers: readonly string[]): ResolveHost {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  return async (host) => {
    const literal = ipLiteral(host);
    if (literal !== undefined) return { kind: 'addresses', ips: [literal], ttlS: Infinity };
    const answers = await Promise.allSettled([
      resolver.resolve4(host, { ttl: true }),
      resolver.resolve6(host, { ttl: true }),
    ]);
    const records = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (records.length > 0) {
      return {
        kind: 'addresses',
        ips: records.map(({ address }) => address),
        ttlS: Math.min(...records.map(({ ttl }) => ttl)),
      };
    }
    const codes = answers.flatMap((answer) => (answer.status === 'rejected' ? [codeOf(answer.reason)] : []));
    const failure = codes.find((code) => !ABSENT.has(code));
    return failure === undefined ? { kind: 'none' } : { kind: 'failed', code: failure };
  };
}

function codeOf(reason: unknown): string {
  return reason instanceof Error && 'code' in reason ? String(reason.code) : 'EUNKNOWN';
}
