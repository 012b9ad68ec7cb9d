import type { Transaction } from '../store/database.ts';
import { loadLeaseCandidates, type LeaseCandidate } from '../store/load-lease-candidates.ts';
import { parkHosts } from '../store/park-hosts.ts';
import { takeAddressSlots, type TakenSlot } from '../store/take-address-slots.ts';

/** Origins of a site that are tried before it is left for another time. */
const ORIGINS_TRIED_MAX = 4;

/** An origin with the slot of its address that it was given. */
export type SlottedCandidate = LeaseCandidate & { readonly slot: number };

/** Which sites can be leased, and which others stay ready: nobody looked, or somebody else was just at their address. */
export type AssignedSlots = {
  readonly slotted: readonly SlottedCandidate[];
  readonly untried: ReadonlySet<string>;
};

/**
 * Finds for up to `wanted` sites an origin and a slot of its address. A host without a slot is parked there and the site's
 * next origin is tried. The caller holds the sites' gates and the tenant's queues.
 */
export async function assignSlots(
  sql: Transaction,
  tenantId: string,
  sites: readonly string[],
  wanted: number,
): Promise<AssignedSlots> {
  const slotted: SlottedCandidate[] = [];
  const untried = new Set<string>();
  let waiting = sites;
  for (let round = 0; round < ORIGINS_TRIED_MAX && waiting.length > 0; round += 1) {
    const candidates = await loadLeaseCandidates(sql, waiting);
    const tried = candidates.slice(0, wanted - slotted.length);
    for (const { site } of candidates.slice(tried.length)) untried.add(site);
    if (tried.length === 0) break;
    const { matched, without } = matchSlots(tried, await takeAddressSlots(sql, tried));
    slotted.push(...matched);
    const parked =
      without.length === 0 ? new Set<string>() : await parkHosts(sql, tenantId, without, slotted);
    for (const { site, host } of without) if (!parked.has(host)) untried.add(site);
    waiting = without.filter(({ host }) => parked.has(host)).map(({ site }) => site);
  }
  return { slotted, untried };
}

function matchSlots(candidates: readonly LeaseCandidate[], free: readonly TakenSlot[]) {
  const left = [...free];
  const matched: SlottedCandidate[] = [];
  const without: LeaseCandidate[] = [];
  const takeFor = ({ address, host }: LeaseCandidate): TakenSlot | undefined => {
    const kept = left.findIndex((slot) => slot.address === address && slot.host === host);
    const at = kept >= 0 ? kept : left.findIndex((slot) => slot.address === address && slot.host === null);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  for (const candidate of candidates) {
    const slot = takeFor(candidate);
    if (slot === undefined) without.push(candidate);
    else matched.push({ ...candidate, slot: slot.slot });
  }
  return { matched, without };
}
