import {
  siteDelayMs,
  type PaceFloor,
  type SiteObservation,
} from '@decorum/policy/politeness/decide-site-pace.ts';
import { SITE_DELAY_MS } from '@decorum/policy/politeness/defaults.ts';
import { foldSitePace } from '@decorum/policy/politeness/fold-site-pace.ts';
import { siteSignal } from '@decorum/policy/politeness/site-signal.ts';
import { OUTCOME_RULES, type Outcome } from '@decorum/policy/retry/attempt-table.ts';
import type { NewPace, StoredPace } from '../store/site-pace.ts';
import type { HeldReport } from './complete.ts';

/** What the sites' pace becomes by all that was reported of them (M6). Sites without a request keep theirs. */
export function paceSites(
  stored: readonly StoredPace[],
  held: readonly HeldReport[],
  crawlDelays: ReadonlyMap<string, number>,
): NewPace[] {
  return stored.flatMap(({ site, crawlDelayMs: _before, ...before }) => {
    const observations = held.filter(({ lease }) => lease.site === site).flatMap(toObservations);
    if (observations.length === 0) return [];
    const crawlDelayMs = crawlDelays.get(site) ?? 0;
    const floor: PaceFloor = { minDelayMs: SITE_DELAY_MS, crawlDelayMs, latencyApplies: true };
    const { pace, opensAtMs = 0 } = foldSitePace(before, observations, floor);
    return [{ ...pace, site, crawlDelayMs, delayMs: siteDelayMs(pace, floor), opensAtMs }];
  });
}

function toObservations({ report, lease }: HeldReport): SiteObservation[] {
  const attempts = report.attempts.map((attempt) => ({
    ...attempt,
    statusCode: attempt.capture?.statusCode ?? 0,
  }));
  return [...(report.robots === undefined ? [] : [report.robots]), ...attempts]
    .flatMap(({ outcome, statusCode, endedAgoMs, responseMs, retryAfterS }) => {
      const signal = toSignal(outcome, statusCode);
      return signal === undefined
        ? []
        : [{ signal, atMs: lease.nowMs - endedAgoMs, responseMs, retryAfterS }];
    })
    .sort((a, b) => a.atMs - b.atMs);
}

/** Undefined: nothing was sent to the site. */
function toSignal(outcome: Outcome, statusCode: number): SiteObservation['signal'] | undefined {
  if (statusCode > 0) return siteSignal(statusCode);
  switch (OUTCOME_RULES[outcome].health) {
    case 'bad':
      return 'TROUBLED';
    case 'good':
      return 'GOOD';
    case 'none':
      return outcome === 'PROTOCOL_ERROR' || outcome === 'HEADERS_TOO_LARGE' ? 'NEUTRAL' : undefined;
  }
}
