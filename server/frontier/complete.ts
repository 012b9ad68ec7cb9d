/**
 * Complete: takes what workers report and ends requests, once each (D1), in one transaction for several leases.
 *
 * Flow: lock the leases (a stale one changes nothing, D3) and their sites; learn from robots.txt attempts; pace the sites;
 * store the captures; find all requests that each attempt speaks for, over all tenants; decide what becomes of each; end,
 * retry or send them on; end the leases and open their gates; re-arm the queues last.
 */
import type { RobotsState } from '@decorum/policy/robots/robots-state.ts';
import type { Pool, Transaction } from '../store/database.ts';
import { endLeases, type EndedLease } from '../store/end-leases.ts';
import { insertCaptures } from '../store/insert-captures.ts';
import { loadInstallation } from '../store/load-installation.ts';
import { loadRobotsTokens } from '../store/load-robots-tokens.ts';
import { lockLeases, recordReported, type LockedLease } from '../store/lock-leases.ts';
import { lockPolicyShared } from '../store/lock-policy.ts';
import { rearmQueues } from '../store/rearm-queues.ts';
import { loadCrawlDelays, loadRobotsStates, saveRobotsStates } from '../store/robots-state.ts';
import { lockSites, savePaces } from '../store/site-pace.ts';
import { transact } from '../store/transact.ts';
import { unparkHosts } from '../store/unpark-hosts.ts';
import type { LeaseReport } from './attempt-report.ts';
import { applyAttempts } from './apply-attempts.ts';
import { advanceRobots } from './advance-robots.ts';
import { parseLeaseToken } from './lease-token.ts';
import { paceSites } from './pace-sites.ts';
import { toCaptures } from './to-captures.ts';

/** What Complete stands on. */
export type CompleteDeps = {
  readonly pool: Pool;
  readonly productToken: string;
  /** Tells local Leases and the publisher that something changed. */
  readonly wake: () => void;
};

/** What became of one lease's report. `robots` follows a robots.txt attempt. */
export type CompletedLease = {
  readonly status: 'HELD' | 'STALE';
  readonly robots?: RobotsState | undefined;
  /** The site's delay from now on; absent when nothing was learnt of the site. */
  readonly siteDelayMs?: number | undefined;
};

/** A report whose lease is held. */
export type HeldReport = { readonly report: LeaseReport; readonly lease: LockedLease };

/** Takes the reports and answers per report, in order. Idempotent: a repeat of what was taken changes nothing. */
export async function completeLeases(
  { pool, productToken, wake }: CompleteDeps,
  reports: readonly LeaseReport[],
): Promise<readonly CompletedLease[]> {
  const completed = await transact(pool, async (sql) => {
    await lockPolicyShared(sql);
    const installation = await loadInstallation(sql);
    const { held, done } = await lockReported(sql, reports, installation.generation);
    const sites = [...new Set(held.map(({ lease }) => lease.site))].sort();
    const paces = await lockSites(sql, sites);
    const robots = await learnRobots(sql, productToken, held);
    const paced = paceSites(paces, held, await loadCrawlDelays(sql, sites));
    await savePaces(sql, paced);
    await insertCaptures(sql, toCaptures(held, installation.policyVersion));
    await applyAttempts(sql, installation, held);
    await recordReported(sql, held.flatMap(toReported));
    await endReported(sql, held);
    return reports.map((report): CompletedLease => {
      const own = held.find(({ lease }) => lease.leaseId === parseLeaseToken(report.leaseToken)?.leaseId);
      if (own === undefined) return { status: done.has(report) ? 'HELD' : 'STALE' };
      const siteDelayMs = paced.find(({ site }) => site === own.lease.site)?.delayMs;
      return { status: 'HELD', robots: robots.get(report.leaseToken), siteDelayMs };
    });
  });
  wake();
  return completed;
}

async function lockReported(
  sql: Transaction,
  reports: readonly LeaseReport[],
  generation: number,
): Promise<{ held: HeldReport[]; done: ReadonlySet<LeaseReport> }> {
  const ids = reports.map(({ leaseToken }) => {
    const token = parseLeaseToken(leaseToken);
    return token?.generation === generation ? token.leaseId : undefined;
  });
  const leases = await lockLeases(sql, [...new Set(ids.filter((id) => id !== undefined))]);
  const byId = new Map(leases.map((lease) => [lease.leaseId, lease]));
  const held: HeldReport[] = [];
  const done = new Set<LeaseReport>();
  for (const [place, report] of reports.entries()) {
    const lease = byId.get(ids[place] ?? '');
    if (lease?.isHeld === true) held.push({ report: withoutRepeats(report, lease), lease });
    else if (lease?.isDone === true) done.add(report);
  }
  return { held, done };
}

function withoutRepeats(report: LeaseReport, { reportedIds }: LockedLease): LeaseReport {
  return { ...report, attempts: report.attempts.filter(({ requestId }) => !reportedIds.includes(requestId)) };
}

async function learnRobots(
  sql: Transaction,
  productToken: string,
  held: readonly HeldReport[],
): Promise<ReadonlyMap<string, RobotsState>> {
  const asked = held.filter(({ report }) => report.robots !== undefined);
  if (asked.length === 0) return new Map();
  const states = await loadRobotsStates(
    sql,
    asked.map(({ lease }) => lease.origin),
  );
  const learned = advanceRobots(asked, states, { productToken, purposeTokens: await loadRobotsTokens(sql) });
  await saveRobotsStates(sql, learned);
  return new Map(learned.map(({ report, state }) => [report.leaseToken, state]));
}

async function endReported(sql: Transaction, held: readonly HeldReport[]): Promise<void> {
  const ended = held.filter(({ report }) => report.endLease);
  await endLeases(sql, 'completed', ended.map(toEndedLease));
  const unparked = await unparkHosts(
    sql,
    ended.map(({ lease }) => lease),
  );
  await rearmQueues(sql, [...ended.map(({ lease }) => lease.site), ...unparked]);
}

function toReported({ report, lease }: HeldReport) {
  const requestIds = report.attempts.map(({ requestId }) => requestId);
  return requestIds.length === 0 ? [] : [{ leaseId: lease.leaseId, requestIds }];
}

function toEndedLease({ report, lease }: HeldReport): EndedLease {
  const { leaseId, site, address, slot } = lease;
  return { leaseId, site, address, slot, idleMs: report.idleMs ?? null };
}
