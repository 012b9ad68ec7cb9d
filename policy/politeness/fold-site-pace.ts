import {
  decideSitePace,
  DEFAULT_PACE_FLOOR,
  type PaceFloor,
  type SiteObservation,
  type SitePace,
} from './decide-site-pace.ts';

/** What follows from all requests of a lease together. */
export type FoldedSitePace = {
  readonly pace: SitePace;
  /** When the site's gate opens, on the clock of `atMs`; nothing when no request was made. */
  readonly opensAtMs: number | undefined;
};

/** M6: paces a site after several requests, given in the order in which they ended; the longest wait among them holds. */
export function foldSitePace(
  before: SitePace,
  observations: readonly SiteObservation[],
  floor: PaceFloor = DEFAULT_PACE_FLOOR,
): FoldedSitePace {
  let pace = before;
  let opensAtMs: number | undefined;
  for (const observation of observations) {
    const decision = decideSitePace(pace, observation, floor);
    pace = decision.pace;
    opensAtMs = Math.max(opensAtMs ?? -Infinity, observation.atMs + decision.shutMs);
  }
  return { pace, opensAtMs };
}
