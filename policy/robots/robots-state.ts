// An origin's robots.txt over time (RFC 9309 §2.3.1, §2.4). The state holds the last answer and when to ask next:
//
//   never asked ── answer (rules, or 4xx) ──▶ in force ── max-age over ──▶ asked again ── answer ──▶ in force
//        │                                                                     │
//        └──────────────────────────── unreachable ◀───────────────────────────┘
//
// An unreachable origin is asked again after ROBOTS_RETRY_DELAYS_MS. Until it answers, its last rules stay in force up to
// the age of ROBOTS_AGE_MS_MAX; without any, or beyond that, all is disallowed: its URLs wait, they do not fail.

import type { RobotsUnavailability, RobotsUnreachability } from './decide-robots-answer.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The age up to which an answer counts (M5; RFC 9309 §2.4). */
export const ROBOTS_AGE_MS_MAX = 24 * HOUR_MS;

/** The least time between two askings that succeeded, whatever max-age says: no site serves us its robots.txt all day. */
export const ROBOTS_LIFE_MS_MIN = HOUR_MS;

/** The time after which we ask again at the latest; also where no max-age is given. Leaves half of the age for retries. */
export const ROBOTS_LIFE_MS_MAX = 12 * HOUR_MS;

/** How long we wait after the first, second and third failure in a row before we ask again. */
export const ROBOTS_RETRY_DELAYS_MS: readonly number[] = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS];

/** How long we wait after every further failure. */
export const ROBOTS_RETRY_DELAY_MS_MAX = HOUR_MS;

/** How asking an origin for its robots.txt ended, redirects included. */
export type RobotsOutcome =
  | {
      readonly kind: 'RULES';
      /** As `cutRobots` leaves it. */
      readonly content: Uint8Array;
      readonly maxAgeS: number | null;
    }
  | {
      readonly kind: 'UNAVAILABLE';
      readonly reason: RobotsUnavailability;
      readonly maxAgeS: number | null;
    }
  | { readonly kind: 'UNREACHABLE'; readonly reason: RobotsUnreachability };

/** What is stored of an origin's robots.txt. Instants are milliseconds since the epoch. */
export interface RobotsState {
  /** The last answer; `content` is `null` where the origin has no robots.txt, and is parsed when it is used. */
  readonly answer: { readonly content: Uint8Array | null; readonly answeredAtMs: number } | null;
  /** Failures in a row since the last answer. */
  readonly failures: number;
  /** Why the last asking brought no rules; `null` if it did. */
  readonly reason: RobotsUnavailability | RobotsUnreachability | null;
  /** When the origin is to be asked next, before anything else of it is fetched. */
  readonly askAtMs: number;
}

/** What holds for an origin. `DISALLOW_ALL` is for now: its URLs wait until it was asked. */
export type RobotsInForce =
  | { readonly kind: 'RULES'; readonly content: Uint8Array; readonly ageMs: number }
  | { readonly kind: 'ALLOW_ALL'; readonly ageMs: number }
  | { readonly kind: 'DISALLOW_ALL'; readonly askAtMs: number };

/** Gives the state after an origin was asked, `before` being `null` the first time. */
export function advanceRobotsState(
  before: RobotsState | null,
  outcome: RobotsOutcome,
  nowMs: number,
): RobotsState {
  if (outcome.kind === 'UNREACHABLE') {
    const failures = (before?.failures ?? 0) + 1;
    const askAtMs = nowMs + retryDelayMs(failures);
    // What may be used on is a copy of the file (§2.4); that there was none is no copy, and §2.3.1.4 disallows all.
    const answer = before?.answer?.content ? before.answer : null;
    return { answer, failures, reason: outcome.reason, askAtMs };
  }
  const rules = outcome.kind === 'RULES';
  return {
    answer: { content: rules ? outcome.content : null, answeredAtMs: nowMs },
    failures: 0,
    reason: rules ? null : outcome.reason,
    askAtMs: nowMs + lifeMs(outcome.maxAgeS),
  };
}

/** Says whether the origin must be asked before anything else of it is fetched. */
export function isRobotsDue(state: RobotsState | null, nowMs: number): boolean {
  return state === null || nowMs >= state.askAtMs;
}

/** Says what holds for the origin at `nowMs`, due to be asked or not: an answer counts up to ROBOTS_AGE_MS_MAX. */
export function robotsInForce(state: RobotsState | null, nowMs: number): RobotsInForce {
  if (state === null) return { kind: 'DISALLOW_ALL', askAtMs: nowMs };
  const { answer, askAtMs } = state;
  const ageMs = answer === null ? Infinity : nowMs - answer.answeredAtMs;
  if (answer === null || ageMs > ROBOTS_AGE_MS_MAX) return { kind: 'DISALLOW_ALL', askAtMs };
  if (answer.content === null) return { kind: 'ALLOW_ALL', ageMs };
  return { kind: 'RULES', content: answer.content, ageMs };
}

function lifeMs(maxAgeS: number | null): number {
  if (maxAgeS === null) return ROBOTS_LIFE_MS_MAX;
  return Math.min(Math.max(maxAgeS * 1_000, ROBOTS_LIFE_MS_MIN), ROBOTS_LIFE_MS_MAX);
}

function retryDelayMs(failures: number): number {
  return ROBOTS_RETRY_DELAYS_MS[failures - 1] ?? ROBOTS_RETRY_DELAY_MS_MAX;
}
