/**
 * DNS on demand: hosts that somebody waits for are claimed in the database, asked for, checked and written back with their
 * queues re-armed. A resolver that dies leaves a claim that passes by itself.
 */
import { addressGate } from '@decorum/policy/address/address-gate.ts';
import type { AddressBlocks } from '@decorum/policy/address/address-blocks.ts';
import { chooseAddress } from '@decorum/policy/address/choose-address.ts';
import { ATTEMPTS_MAX } from '@decorum/policy/retry/attempt-table.ts';
import { claimHosts, type ClaimedHost } from '../store/claim-hosts.ts';
import type { Pool } from '../store/database.ts';
import { loadInstallation } from '../store/load-installation.ts';
import { loadRequestsOfHost } from '../store/load-requests-of-host.ts';
import { rearmQueues } from '../store/rearm-queues.ts';
import { saveResolution, type Resolution } from '../store/save-resolution.ts';
import { transact } from '../store/transact.ts';
import { endWithoutAttempt, type Ending } from './end-without-attempt.ts';
import type { HostAnswer, ResolveHost } from './resolve-host.ts';

/** An answer's TTL is taken to lie between these. */
export const DNS_TTL_MS_MIN = 60_000;
/** See DNS_TTL_MS_MIN. */
export const DNS_TTL_MS_MAX = 3_600_000;

/** How long the absence of an address is believed, doubling from the first to the second with each failure in a row. */
export const DNS_NEGATIVE_MS_MIN = 60_000;
/** See DNS_NEGATIVE_MS_MIN. */
export const DNS_NEGATIVE_MS_MAX = 900_000;

/** Questions under way at once; also the rate limit towards the resolvers. */
const CONCURRENCY = 50;

/** A claim passes after this; longer than any question takes. */
const CLAIM_MS = 30_000;

/** Requests that one transaction ends when a host has no address. */
const END_BATCH = 500;

/** What resolving stands on. */
export type ResolveDeps = {
  readonly pool: Pool;
  readonly resolve: ResolveHost;
  readonly exempt: AddressBlocks | undefined;
  readonly wake: () => void;
};

/** Asks for the hosts that are due. Answers how many; call again at once while it is above 0. */
export async function resolveHosts(deps: ResolveDeps): Promise<number> {
  const hosts = await transact(deps.pool, (sql) => claimHosts(sql, CONCURRENCY, CLAIM_MS));
  await Promise.all(hosts.map((host) => resolveOne(deps, host)));
  if (hosts.length > 0) deps.wake();
  return hosts.length;
}

async function resolveOne(deps: ResolveDeps, claimed: ClaimedHost): Promise<void> {
  const answer = await deps.resolve(claimed.host);
  const { resolution, ending } = decideResolution(claimed, answer, deps.exempt);
  await transact(deps.pool, async (sql) => {
    const site = await saveResolution(sql, resolution);
    if (ending !== undefined) {
      const requests = await loadRequestsOfHost(sql, claimed.host, END_BATCH);
      await endWithoutAttempt(sql, await loadInstallation(sql), requests, ending);
    }
    if (site !== undefined) await rearmQueues(sql, [site]);
  });
}

/** What an answer means for the host, and for its requests when it means their end. */
export function decideResolution(
  { host, failures }: ClaimedHost,
  answer: HostAnswer,
  exempt: AddressBlocks | undefined,
): { readonly resolution: Resolution; readonly ending?: Ending } {
  if (answer.kind !== 'addresses') return withoutAddress(host, failures + 1, answer);
  const choice = chooseAddress(answer.ips, exempt);
  if (choice.kind === 'chosen') {
    const ttlMs = Math.min(Math.max(answer.ttlS * 1_000, DNS_TTL_MS_MIN), DNS_TTL_MS_MAX);
    const addresses = [choice.ip, ...choice.fallbacks];
    const address = addressGate(choice.ip);
    return { resolution: { host, dialAddress: choice.ip, address, addresses, ttlMs, failures: 0 } };
  }
  return {
    resolution: unresolved(host, 0, DNS_NEGATIVE_MS_MAX),
    ending: {
      kind: 'ADDRESS_FORBIDDEN',
      outcome: 'ADDRESS_FORBIDDEN',
      detail: 'the name has no public address',
    },
  };
}

function withoutAddress(host: string, failures: number, answer: Exclude<HostAnswer, { kind: 'addresses' }>) {
  const ttlMs = Math.min(DNS_NEGATIVE_MS_MIN * 2 ** (failures - 1), DNS_NEGATIVE_MS_MAX);
  if (failures < ATTEMPTS_MAX) return { resolution: unresolved(host, failures, ttlMs) };
  const what = answer.kind === 'none' ? 'the name has no address' : `the resolvers failed (${answer.code})`;
  const detail = `${what}, asked ${failures} times`;
  return {
    resolution: unresolved(host, 0, ttlMs),
    ending: { kind: 'FAILED', outcome: 'DNS_FAILED', detail } satisfies Ending,
  };
}

function unresolved(host: string, failures: number, ttlMs: number): Resolution {
  return { host, dialAddress: null, address: null, addresses: [], ttlMs, failures };
}
