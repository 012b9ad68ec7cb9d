import { cutRobots } from '@decorum/policy/robots/cut-robots.ts';
import { decideRobotsAnswer } from '@decorum/policy/robots/decide-robots-answer.ts';
import { findCrawlDelayS, type PurposeToken } from '@decorum/policy/robots/find-crawl-delay.ts';
import { parseRobots } from '@decorum/policy/robots/parse-robots.ts';
import { advanceRobotsState, type RobotsOutcome } from '@decorum/policy/robots/robots-state.ts';
import type { NewRobots, StoredRobots } from '../store/robots-state.ts';
import type { LeaseReport, RobotsReport } from './attempt-report.ts';
import type { HeldReport } from './complete.ts';

/** Under which names we look for ourselves in a robots.txt. */
export type RobotsNames = { readonly productToken: string; readonly purposeTokens: readonly PurposeToken[] };

/** An origin's robots.txt after it was asked in a lease. */
export type LearnedRobots = NewRobots & { readonly report: LeaseReport };

/** No Crawl-delay is kept beyond; what is longer denies every URL anyway. */
const CRAWL_DELAY_MS_KEPT_MAX = 2_000_000_000;

/** What each origin's robots.txt became by the attempts at it. */
export function advanceRobots(
  asked: readonly HeldReport[],
  states: readonly StoredRobots[],
  names: RobotsNames,
): LearnedRobots[] {
  const before = new Map(states.map(({ origin, state }) => [origin, state]));
  return asked.flatMap(({ report, lease }) => {
    if (report.robots === undefined) return [];
    const outcome = toRobotsOutcome(report.robots, lease.origin);
    const state = advanceRobotsState(
      before.get(lease.origin) ?? null,
      outcome,
      lease.nowMs - report.robots.endedAgoMs,
    );
    return [
      { report, origin: lease.origin, state, crawlDelayMs: crawlDelayMs(state.answer?.content, names) },
    ];
  });
}

/**
 * A redirect that leaves the origin counts as unreachable: nobody takes a second site's gate while holding one, and no
 * page is fetched meanwhile.
 */
function toRobotsOutcome(report: RobotsReport, origin: string): RobotsOutcome {
  if (report.statusCode === 0) return { kind: 'UNREACHABLE', reason: 'NETWORK' };
  const answer = decideRobotsAnswer({
    status: report.statusCode,
    location: report.redirectUrl === '' ? undefined : report.redirectUrl,
    asked: [`${origin}/robots.txt`],
  });
  switch (answer.kind) {
    case 'READ_BODY':
      return { kind: 'RULES', content: cutRobots(report.content).content, maxAgeS: report.maxAgeS ?? null };
    case 'FOLLOW':
      return { kind: 'UNREACHABLE', reason: 'REDIRECT_TARGET_REFUSED' };
    case 'UNAVAILABLE':
      return { ...answer, maxAgeS: report.maxAgeS ?? null };
    case 'UNREACHABLE':
      return answer;
  }
}

function crawlDelayMs(content: Uint8Array | null | undefined, names: RobotsNames): number {
  if (content === null || content === undefined) return 0;
  const delayS = findCrawlDelayS({ robots: parseRobots(content), ...names }) ?? 0;
  return Math.min(Math.ceil(delayS * 1_000), CRAWL_DELAY_MS_KEPT_MAX);
}
