import { SITE_DELAY_MS } from './defaults.ts';
import { capRetryAfter } from './parse-retry-after.ts';

/** How far back-off doubles a site's delay. */
export const BACKOFF_MS_MAX = 3_600_000;
/** How many times the response time the delay should be, and how far that may slow a site. */
export const RESPONSE_TIME_FACTOR = 10;
/** See RESPONSE_TIME_FACTOR. */
export const TARGET_DELAY_MS_MAX = 60_000;
/** The weight of the old target when a new response time is smoothed in. */
export const TARGET_OLD_WEIGHT = 0.8;
/** How many bad answers in a row park a site. */
export const PARK_AFTER_STREAK = 5;
/** How long a site is parked first; each failed probe doubles it. */
export const PARK_MS_MIN = 3_600_000;
/** See PARK_MS_MIN. */
export const PARK_MS_MAX = 86_400_000;
/** How many good answers in a row halve the back-off. */
export const FORGIVE_AFTER_GOOD = 10;
/** How many milliseconds without a bad answer halve it too, counted from when the site could be asked again. */
export const FORGIVE_AFTER_QUIET_MS = 1_800_000;

/**
 * What is kept of a site's manners between requests; each field a column. `initialSitePace` is the state of a site never
 * asked.
 */
export type SitePace = {
  /** The delay that the site's response times ask for, smoothed. */
  readonly targetDelayMs: number;
  /** The delay that its bad answers ask for; 0 when none is left. */
  readonly backoffMs: number;
  /** Bad answers in a row. */
  readonly badStreak: number;
  /** Good answers in a row since the last bad one or the last halving. */
  readonly goodStreak: number;
  /** Times parked without a successful probe between; above 0 the next request is a probe, to be leased alone. */
  readonly parkings: number;
  /** From when quiet minutes count, on the clock of `SiteObservation.atMs`. */
  readonly quietSinceMs: number;
};

/** What an answer, or its absence, says about our welcome; `siteSignal` reads it off a status. */
export type SiteSignal = 'GOOD' | 'NEUTRAL' | 'THROTTLED' | 'TROUBLED';

/** One finished request to the site. */
export type SiteObservation = {
  readonly signal: SiteSignal;
  /** When it ended, in milliseconds of the store's clock (M4), any epoch. */
  readonly atMs: number;
  /** From request written to last header byte; absent when no header came. Counts only with `GOOD`. */
  readonly responseMs?: number | undefined;
  /** What `parseRetryAfter` read. Counts only with a bad signal; capped here. */
  readonly retryAfterS?: number | null | undefined;
};

/** What the delay never goes below. */
export type PaceFloor = {
  /** The default, or an override's. */
  readonly minDelayMs: number;
  /** The largest `Crawl-delay` among our tokens' groups; 0 without one. */
  readonly crawlDelayMs: number;
  /** Whether response time slows the site down; an override below the default delay may switch it off. */
  readonly latencyApplies: boolean;
};

/** The floor of a site without override and Crawl-delay. */
export const DEFAULT_PACE_FLOOR: PaceFloor = {
  minDelayMs: SITE_DELAY_MS,
  crawlDelayMs: 0,
  latencyApplies: true,
};

/** What follows from an observation. */
export type SitePaceDecision = {
  readonly pace: SitePace;
  /** The delay from now on, from the end of a request to the start of the next. */
  readonly delayMs: number;
  /** How long the gate stays shut after this request's end: the delay, or a longer Retry-After or parking. */
  readonly shutMs: number;
};

/** The pace of a site that was never asked. `atMs` as in `SiteObservation`. */
export function initialSitePace(atMs: number, floor: PaceFloor = DEFAULT_PACE_FLOOR): SitePace {
  return {
    targetDelayMs: floor.minDelayMs,
    backoffMs: 0,
    badStreak: 0,
    goodStreak: 0,
    parkings: 0,
    quietSinceMs: atMs,
  };
}

/** M6: decides how a site is paced after a request to it ended. */
export function decideSitePace(
  before: SitePace,
  observation: SiteObservation,
  floor: PaceFloor = DEFAULT_PACE_FLOOR,
): SitePaceDecision {
  const pace = forgiveQuietTime(before, observation.atMs, floor);
  switch (observation.signal) {
    case 'GOOD':
      return open(afterGood(pace, observation, floor), floor);
    case 'NEUTRAL':
      return open(pace, floor);
    case 'THROTTLED':
    case 'TROUBLED':
      return afterBad(pace, observation, floor);
  }
}

/** The delay that a pace and its floor amount to: at least the floor, and above one hour only where the floor is. */
export function siteDelayMs(pace: SitePace, floor: PaceFloor = DEFAULT_PACE_FLOOR): number {
  return Math.max(unforcedDelayMs(pace, floor), pace.backoffMs);
}

/** Halves the back-off once for every thirty quiet minutes up to `atMs`; for a lease that comes after a long silence. */
export function forgiveQuietTime(
  pace: SitePace,
  atMs: number,
  floor: PaceFloor = DEFAULT_PACE_FLOOR,
): SitePace {
  const halvings = Math.floor((atMs - pace.quietSinceMs) / FORGIVE_AFTER_QUIET_MS);
  if (pace.backoffMs === 0 || halvings < 1) return pace;
  const backoffMs = forgiven(pace, halvings, floor);
  return { ...pace, backoffMs, quietSinceMs: pace.quietSinceMs + halvings * FORGIVE_AFTER_QUIET_MS };
}

function open(pace: SitePace, floor: PaceFloor): SitePaceDecision {
  const delayMs = siteDelayMs(pace, floor);
  return { pace, delayMs, shutMs: delayMs };
}

function afterGood(pace: SitePace, observation: SiteObservation, floor: PaceFloor): SitePace {
  const targetDelayMs = nextTargetMs(pace.targetDelayMs, observation.responseMs, floor.minDelayMs);
  const answered = { ...pace, targetDelayMs, badStreak: 0, parkings: 0, goodStreak: pace.goodStreak + 1 };
  if (answered.goodStreak < FORGIVE_AFTER_GOOD) return answered;
  return {
    ...answered,
    backoffMs: forgiven(answered, 1, floor),
    goodStreak: 0,
    quietSinceMs: observation.atMs,
  };
}

function nextTargetMs(targetMs: number, responseMs: number | undefined, minDelayMs: number): number {
  if (responseMs === undefined) return targetMs;
  const asked = clamp(RESPONSE_TIME_FACTOR * responseMs, minDelayMs, TARGET_DELAY_MS_MAX);
  return TARGET_OLD_WEIGHT * targetMs + (1 - TARGET_OLD_WEIGHT) * asked;
}

/**
 * A server that says "slower" doubles the delay at once; other bad answers do from the second in a row on, since one
 * 403 or 500 tells of a page and not of the site.
 */
function afterBad(pace: SitePace, observation: SiteObservation, floor: PaceFloor): SitePaceDecision {
  const badStreak = pace.badStreak + 1;
  const doubles = observation.signal === 'THROTTLED' || badStreak > 1;
  const backoffMs = doubles ? Math.min(2 * siteDelayMs(pace, floor), BACKOFF_MS_MAX) : pace.backoffMs;
  const parks = badStreak >= PARK_AFTER_STREAK;
  const parkings = parks ? pace.parkings + 1 : pace.parkings;
  const slowed = { ...pace, backoffMs, badStreak, goodStreak: 0, parkings };
  const delayMs = siteDelayMs(slowed, floor);
  const retryAfterMs = 1000 * capRetryAfter(observation.retryAfterS ?? 0);
  const shutMs = Math.max(delayMs, retryAfterMs, parks ? parkMs(parkings) : 0);
  return { pace: { ...slowed, quietSinceMs: observation.atMs + shutMs }, delayMs, shutMs };
}

function parkMs(parkings: number): number {
  return Math.min(PARK_MS_MIN * 2 ** (parkings - 1), PARK_MS_MAX);
}

/** Back-off after some halvings; none is left once it asks for no more than the rest does. */
function forgiven(pace: SitePace, halvings: number, floor: PaceFloor): number {
  const backoffMs = pace.backoffMs / 2 ** halvings;
  return backoffMs > unforcedDelayMs(pace, floor) ? backoffMs : 0;
}

function unforcedDelayMs(pace: SitePace, floor: PaceFloor): number {
  return Math.max(floor.minDelayMs, floor.crawlDelayMs, floor.latencyApplies ? pace.targetDelayMs : 0);
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(value, max));
}
