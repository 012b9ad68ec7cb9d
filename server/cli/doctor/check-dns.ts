import { Resolver } from 'node:dns/promises';
import type { Finding } from './finding.ts';
import { ok, warn } from './finding.ts';

const TIMEOUT_MS = 2_000;
const TRIES = 1;
/** Any name will do: that it does not exist is an answer too. */
const NAME = 'example.com';
const ANSWERS: ReadonlySet<string> = new Set(['ENODATA', 'ENOTFOUND']);

/** Each configured resolver, or the system's: without one, only sites with a fresh address are fetched. */
export async function checkDns(servers: readonly string[]): Promise<Finding[]> {
  const system = new Resolver().getServers();
  return Promise.all((servers.length > 0 ? servers : system).map(checkServer));
}

async function checkServer(server: string): Promise<Finding> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  resolver.setServers([server]);
  const code = await resolver.resolve4(NAME).then(() => undefined, codeOf);
  if (code === undefined || ANSWERS.has(code)) return ok('DNS', `${server} answers`);
  return warn(
    'DNS',
    `${server}: ${code}`,
    'Set DECORUM_DNS_SERVERS to resolvers that can be reached from here.',
  );
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}
