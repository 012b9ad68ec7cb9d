/** M1: from the end of a request to a site to the start of the next; lower only by an override. */
export const SITE_DELAY_MS = 1_000;

/** M2: connections to one address over all sites on it; another number only by an override. */
export const ADDRESS_SLOTS = 4;

/** M2: from the start of a request on a slot to the start of the next; with four slots, four starts a second. */
export const SLOT_SPACING_MS = 1_000;

/** M7: how long the gates of a lease that expired without a word stay shut, for what may still be open at its worker. */
export const LOCK_DELAY_MS = 60_000;

/** How long a lease lasts unless renewed; a worker renews it every third of that. */
export const LEASE_MS = 60_000;

/** How many URLs of its origin one lease covers at most. */
export const BATCH_URLS_MAX = 20;

/** How much work at the site's present pace one lease covers at most; so a lease ends well within `LEASE_MS`. */
export const BATCH_MS_MAX = 20_000;
