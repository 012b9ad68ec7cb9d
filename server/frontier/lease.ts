/**
 * Lease: one short transaction that takes a site's gate and an address slot together, for several sites at once.
 *
 * Flow: draw a tenant's band, take its ready sites, find each site's due origin, take a slot of the origin's address,
 * fill the batch over all tenants, write the lease. What turns out not to be leasable leaves with a queue that tells when
 * it is. Nothing is waited for but the policy lock (`skip locked` throughout), and no request row is touched.
 */
import { randomUUID } from 'node:crypto';
import { drawPair } from '@decorum/policy/fairness/draw-pair.ts';
import { fillByShare } from '@decorum/policy/fairness/fill-by-share.ts';
import { BATCH_MS_MAX, BATCH_URLS_MAX } from '@decorum/policy/politeness/defaults.ts';
import { urlHash } from '@decorum/policy/url/url-hash.ts';
import { askForAddresses } from '../store/ask-for-addresses.ts';
import type { Pool, Transaction } from '../store/database.ts';
import { insertLeases } from '../store/insert-leases.ts';
import { loadDueRequests, type DueRequest } from '../store/load-due-requests.ts';
import { loadInstallation, type Installation } from '../store/load-installation.ts';
import type { LeaseCandidate } from '../store/load-lease-candidates.ts';
import { loadReadyPairs } from '../store/load-ready-pairs.ts';
import { loadValidators, type StoredValidators } from '../store/load-validators.ts';
import { lockPolicyShared } from '../store/lock-policy.ts';
import { postponeQueues } from '../store/postpone-queues.ts';
import { rearmLockedQueues, type QueuePair } from '../store/rearm-queues.ts';
import { loadShares, saveShares, type ServedSite } from '../store/shares.ts';
import { takeReadySites } from '../store/take-ready-sites.ts';
import { transact } from '../store/transact.ts';
import { assignSlots, type SlottedCandidate } from './assign-slots.ts';
import { formatLeaseToken } from './lease-token.ts';

/** How many queues one draw looks at, as a multiple of the leases that are still wanted. */
const LOOKAHEAD = 2;

/** Draws a call makes before it answers with what it has. */
const DRAWS_MAX = 16;

/** What one call asks for. */
export type LeaseInput = { readonly workerId: string; readonly leasesMax: number; readonly leaseMs: number };

/** One URL of a lease: the request that stands for it, and the purposes of all that wait for it. */
export type LeasedItem = DueRequest & {
  readonly purposes: readonly string[];
  /** Of the last capture, for a conditional request. */
  readonly validators: StoredValidators | undefined;
};

/** A lease as it was given out. */
export type GrantedLease = LeaseCandidate & {
  readonly token: string;
  readonly slot: number;
  readonly items: readonly LeasedItem[];
  readonly policyVersion: bigint;
};

/**
 * Gives out up to `leasesMax` leases of what is ready now; an empty list when nothing is. M1, M2: a lease exists only
 * with both gates held.
 */
export async function leaseSites(pool: Pool, input: LeaseInput): Promise<readonly GrantedLease[]> {
  return transact(pool, async (sql) => {
    await lockPolicyShared(sql);
    const installation = await loadInstallation(sql);
    const granted: GrantedLease[] = [];
    let pairs = await loadReadyPairs(sql);
    for (let draw = 0; draw < DRAWS_MAX && granted.length < input.leasesMax; draw += 1) {
      const pair = drawPair(pairs, Math.random(), Math.random());
      if (pair === undefined) break;
      const wanted = input.leasesMax - granted.length;
      const leases = await leasePair(sql, installation, input, pair, wanted);
      granted.push(...leases.granted);
      if (leases.looked < wanted * LOOKAHEAD) pairs = pairs.filter((other) => other !== pair);
    }
    return granted;
  });
}

async function leasePair(
  sql: Transaction,
  installation: Installation,
  input: LeaseInput,
  pair: QueuePair,
  wanted: number,
): Promise<{ granted: GrantedLease[]; looked: number }> {
  const taken = await takeReadySites(sql, pair, wanted * LOOKAHEAD);
  const looked = taken.ready.length + taken.early.length;
  if (taken.early.length > 0) await postponeQueues(sql, pair, taken.early);
  if (taken.ready.length === 0) return { granted: [], looked };

  const { slotted, untried } = await assignSlots(sql, pair.tenantId, taken.ready, wanted);
  const batches = await fillBatches(sql, slotted);
  const granted = batches.map((batch) => grant(installation, batch));
  if (granted.length > 0) await insertLeases(sql, input.workerId, input.leaseMs, granted);

  const leased = new Set(granted.map(({ site }) => site));
  const idle = taken.ready.filter((site) => !leased.has(site) && !untried.has(site));
  await askForAddresses(sql, idle);
  await rearmLockedQueues(sql, [...leased, ...idle], pair);
  return { granted, looked };
}

type Batch = SlottedCandidate & { readonly items: readonly LeasedItem[] };

async function fillBatches(sql: Transaction, slotted: readonly SlottedCandidate[]): Promise<Batch[]> {
  if (slotted.length === 0) return [];
  const origins = slotted.map(({ origin }) => origin);
  const sites = slotted.map(({ site }) => site);
  const due = Map.groupBy(await loadDueRequests(sql, origins, BATCH_URLS_MAX), ({ origin }) => origin);
  const shares = Map.groupBy(await loadShares(sql, sites), ({ site }) => site);
  const served: ServedSite[] = [];
  const batches = slotted.flatMap((candidate) => {
    const own = shares.get(candidate.site) ?? [];
    const { picks, virtualTimes, siteVirtualTime } = fillByShare(
      due.get(candidate.origin) ?? [],
      own,
      own[0]?.siteVirtualTime ?? 0,
      batchUrlsMax(candidate),
      Math.random,
    );
    if (picks.length === 0) return [];
    served.push({ site: candidate.site, siteVirtualTime, virtualTimes });
    return [{ ...candidate, items: picks.flatMap(mergeSame) }];
  });
  if (served.length > 0) await saveShares(sql, served);
  return withValidators(sql, batches);
}

async function withValidators(sql: Transaction, batches: readonly Batch[]): Promise<Batch[]> {
  const urls = batches.flatMap(({ items }) => items.map(({ url }) => ({ url, urlHash: urlHash(url) })));
  const stored = new Map((await loadValidators(sql, urls)).map((validators) => [validators.url, validators]));
  return batches.map((batch) => ({
    ...batch,
    items: batch.items.map((item) => ({ ...item, validators: stored.get(item.url) })),
  }));
}

/** Several tenants' requests for one URL are one item: one fetch answers them all. */
function mergeSame(same: readonly DueRequest[]): LeasedItem[] {
  const [first] = same;
  if (first === undefined) return [];
  const maxBodyBytes = same.reduce((max, r) => (r.maxBodyBytes > max ? r.maxBodyBytes : max), 0n);
  return [
    {
      ...first,
      maxBodyBytes,
      extract: [...new Set(same.flatMap(({ extract }) => extract))],
      purposes: [...new Set(same.map(({ purpose }) => purpose))].sort(),
      validators: undefined,
    },
  ];
}

/** What fits into the time of a batch at the site's present pace; at least one. */
function batchUrlsMax({ siteDelayMs, slotSpacingMs }: LeaseCandidate): number {
  const fits = Math.floor(BATCH_MS_MAX / Math.max(siteDelayMs, slotSpacingMs, 1));
  return Math.max(1, Math.min(BATCH_URLS_MAX, fits));
}

function grant(
  { generation, policyVersion }: Installation,
  batch: Batch,
): GrantedLease & { leaseId: string } {
  const leaseId = randomUUID();
  return { ...batch, leaseId, token: formatLeaseToken({ leaseId, generation }), policyVersion };
}
