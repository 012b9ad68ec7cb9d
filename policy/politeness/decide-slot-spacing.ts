import { SLOT_SPACING_MS } from './defaults.ts';
import { BACKOFF_MS_MAX, FORGIVE_AFTER_QUIET_MS } from './decide-site-pace.ts';

/** How many sites of an address must have signalled before the address itself slows down. */
export const AGREEING_SITES = 3;

/** What is kept of an address's manners; each field a column. */
export type SlotSpacing = {
  /** From the start of a request on a slot to the start of the next. */
  readonly spacingMs: number;
  /** When the spacing last changed; signals from before it were already answered. Same clock as `atMs`. */
  readonly changedAtMs: number;
};

/** The sites of an address since the later of `changedAtMs` and ten minutes ago. */
export type AddressObservation = {
  readonly atMs: number;
  /** Sites fetched from it. */
  readonly sitesFetched: number;
  /** Those of them that gave a bad signal (`THROTTLED`, or `TROUBLED` in a streak). */
  readonly sitesSignalled: number;
};

/**
 * M6: decides the spacing of an address's slots when its sites agree: doubled, at most an hour, once three of them have
 * signalled (half of them where fewer than three were fetched), halved towards `minSpacingMs` for every thirty minutes
 * without a change. A site's Retry-After is no input: it never shuts an address that others use too.
 */
export function decideSlotSpacing(
  before: SlotSpacing,
  { atMs, sitesFetched, sitesSignalled }: AddressObservation,
  minSpacingMs: number = SLOT_SPACING_MS,
): SlotSpacing {
  const forgiven = forgive(before, atMs, minSpacingMs);
  const needed = sitesFetched < AGREEING_SITES ? Math.ceil(sitesFetched / 2) : AGREEING_SITES;
  if (sitesSignalled === 0 || sitesSignalled < needed) return forgiven;
  const spacingMs = Math.max(minSpacingMs, Math.min(2 * forgiven.spacingMs, BACKOFF_MS_MAX));
  return { spacingMs, changedAtMs: atMs };
}

function forgive({ spacingMs, changedAtMs }: SlotSpacing, atMs: number, minSpacingMs: number): SlotSpacing {
  const halvings = Math.max(0, Math.floor((atMs - changedAtMs) / FORGIVE_AFTER_QUIET_MS));
  return {
    spacingMs: Math.max(minSpacingMs, spacingMs / 2 ** halvings),
    changedAtMs: changedAtMs + halvings * FORGIVE_AFTER_QUIET_MS,
  };
}
