/** Who decides when a URL is fetched, in the contract's words. */
export type WaitReason =
  | 'NOT_BEFORE'
  | 'DNS'
  | 'SITE_DELAY'
  | 'SITE_LEASED'
  | 'ADDRESS_SLOTS'
  | 'ROBOTS'
  | 'BACK_OFF'
  | 'PARKED'
  | 'QUEUE_POSITION'
  | 'PAUSE'
  | 'LOCK_DELAY';

/** One thing that a URL waits for. */
export type Wait = {
  readonly reason: WaitReason;
  /** undefined when it depends on what others do. */
  readonly untilMs: number | undefined;
  readonly detail: string;
};

/** All that decides what a URL waits for. Instants are milliseconds since the epoch by the store's clock (M4). */
export type WaitFacts = {
  readonly nowMs: number;
  /** Why the tenant is suspended; null when it is not. */
  readonly suspended: string | null;
  /** The pending request; undefined for a URL that would only now be asked for. */
  readonly request: RequestFacts | undefined;
  /** undefined: the host was never asked for. */
  readonly host: HostFacts | undefined;
  /** undefined: the site was never asked for. */
  readonly site: SiteFacts | undefined;
  /** How long gates stay shut after a lease was lost (M7). */
  readonly lockDelayMs: number;
  /** Requests of the site that are served before. */
  readonly ahead: number;
};

/** What a pending request brings along. */
export type RequestFacts = {
  readonly isLeased: boolean;
  /** Infinite while a redirect takes it elsewhere. */
  readonly dueAtMs: number;
  readonly attempts: number;
  /** What its last attempt met; null before the first. */
  readonly lastOutcome: string | null;
};

/** What is known of a host, its origin and its address. */
export type HostFacts = {
  readonly hasAddress: boolean;
  /** When the resolvers are asked next; null when nobody has them asked. */
  readonly resolveAtMs: number | null;
  readonly dnsFailures: number;
  readonly blockedUntilMs: number | null;
  readonly blockedReason: string | null;
  /** Until when nothing but robots.txt may be asked for; null when there is a valid answer, or none was asked for yet. */
  readonly robotsUntilMs: number | null;
  readonly robotsReason: string | null;
  /** When each slot of the address is free for this host; infinite while it is leased. Empty without an address. */
  readonly slotsReadyAtMs: readonly number[];
  readonly slotSpacingMs: number;
  /** Waits among others for its turn at the address. */
  readonly isParked: boolean;
};

/** A site's gate and pace. */
export type SiteFacts = {
  /** Infinite while a lease holds the gate. */
  readonly readyAtMs: number;
  /** What the site's answers ask for; the gate opens no earlier. */
  readonly shutUntilMs: number;
  readonly delayMs: number;
  readonly backoffMs: number;
  readonly parkings: number;
  /** When the lease that holds the gate expires; null when none does. */
  readonly leaseExpiresAtMs: number | null;
};

/** Everything that a URL waits for, by what is nearest to the tenant first; nothing when it is being fetched. */
export function decideWaits(facts: WaitFacts): Wait[] {
  if (facts.request?.isLeased === true) return [];
  return [
    suspension(facts),
    ownTime(facts),
    address(facts),
    hostBlock(facts),
    robots(facts),
    siteGate(facts),
    addressSlots(facts),
    queue(facts),
  ].filter((wait) => wait !== undefined);
}

/**
 * How long at the present pace until the URL's turn, in milliseconds: those ahead go one by one from the moment the gates
 * open, and its own time, name and robots.txt pass meanwhile. Undefined while something without an end stands before it.
 */
export function estimateWaitMs(facts: WaitFacts, waits: readonly Wait[]): number | undefined {
  if (facts.host?.isParked === true) return undefined;
  if (waits.some(({ reason, untilMs }) => untilMs === undefined && !PASSES.has(reason))) return undefined;
  const latest = (gates: boolean) =>
    Math.max(
      0,
      ...waits
        .filter(({ reason }) => GATES.has(reason) === gates)
        .map(({ untilMs }) => (untilMs ?? facts.nowMs) - facts.nowMs),
    );
  const paceMs = Math.max(facts.site?.delayMs ?? 0, facts.host?.slotSpacingMs ?? 0);
  return Math.max(latest(false), latest(true) + facts.ahead * paceMs);
}

/** Waits whose end nobody knows, but which a few moments end: a lease, or the answer of a resolver. */
const PASSES: ReadonlySet<WaitReason> = new Set(['SITE_LEASED', 'ADDRESS_SLOTS', 'QUEUE_POSITION', 'DNS']);

/** Why a host is blocked for which a slot of its address is kept. */
const SLOT_KEPT = 'slot';

/** Waits that all requests of the site share, one after the other. */
const GATES: ReadonlySet<WaitReason> = new Set([
  'SITE_DELAY',
  'SITE_LEASED',
  'ADDRESS_SLOTS',
  'PARKED',
  'LOCK_DELAY',
]);

function suspension({ suspended }: WaitFacts): Wait | undefined {
  if (suspended === null) return undefined;
  const why = suspended === '' ? '' : `: ${suspended}`;
  return { reason: 'PAUSE', untilMs: undefined, detail: `the tenant is suspended${why}` };
}

function ownTime({ nowMs, request }: WaitFacts): Wait | undefined {
  if (request === undefined || request.dueAtMs <= nowMs) return undefined;
  const { dueAtMs, attempts, lastOutcome } = request;
  if (dueAtMs === Infinity) {
    const detail = 'a redirect takes it to where it leads';
    return { reason: 'QUEUE_POSITION', untilMs: undefined, detail };
  }
  if (lastOutcome === null) {
    return { reason: 'NOT_BEFORE', untilMs: dueAtMs, detail: 'asked for no earlier' };
  }
  const detail = `attempt ${attempts} ended as ${lastOutcome}; tried again then`;
  return { reason: 'BACK_OFF', untilMs: dueAtMs, detail };
}

function address({ nowMs, host }: WaitFacts): Wait | undefined {
  if (host?.hasAddress === true) return undefined;
  const { dnsFailures = 0, resolveAtMs = null } = host ?? {};
  if (dnsFailures === 0 || resolveAtMs === null || resolveAtMs <= nowMs)
    return { reason: 'DNS', untilMs: undefined, detail: 'the host has no address yet' };
  const detail = `the host had no address when asked ${dnsFailures} times; asked again then`;
  return { reason: 'DNS', untilMs: resolveAtMs, detail };
}

function hostBlock({ nowMs, host }: WaitFacts): Wait | undefined {
  const untilMs = host?.blockedUntilMs ?? null;
  if (untilMs === null || untilMs <= nowMs || host?.blockedReason === SLOT_KEPT) return undefined;
  return { reason: 'BACK_OFF', untilMs, detail: `the host is left alone: ${host?.blockedReason ?? ''}` };
}

function robots({ nowMs, host }: WaitFacts): Wait | undefined {
  const untilMs = host?.robotsUntilMs ?? null;
  if (untilMs === null || untilMs <= nowMs) return undefined;
  const detail = `robots.txt could not be read (${host?.robotsReason ?? 'NETWORK'}), which forbids all; asked again then`;
  return { reason: 'ROBOTS', untilMs, detail };
}

function siteGate({ nowMs, site, lockDelayMs }: WaitFacts): Wait | undefined {
  if (site === undefined || site.readyAtMs <= nowMs) return undefined;
  const { readyAtMs, shutUntilMs, delayMs, backoffMs, parkings, leaseExpiresAtMs } = site;
  if (readyAtMs === Infinity) {
    if (leaseExpiresAtMs === null || leaseExpiresAtMs > nowMs)
      return {
        reason: 'SITE_LEASED',
        untilMs: undefined,
        detail: 'other URLs of the site are being fetched',
      };
    return lockDelay(leaseExpiresAtMs + lockDelayMs);
  }
  // M7: only a lost lease shuts a gate for longer than the site's own answers do.
  if (readyAtMs > shutUntilMs) return lockDelay(readyAtMs);
  const pace = `${formatSeconds(delayMs)} between two requests`;
  if (parkings > 0) {
    const detail = `parked after bad answers, ${parkings} times in a row; then one probe decides`;
    return { reason: 'PARKED', untilMs: readyAtMs, detail };
  }
  if (backoffMs > 0 || readyAtMs - nowMs > delayMs) {
    const detail = `the server asked us to slow down; ${pace}`;
    return { reason: 'BACK_OFF', untilMs: readyAtMs, detail };
  }
  return { reason: 'SITE_DELAY', untilMs: readyAtMs, detail: pace };
}

function lockDelay(untilMs: number): Wait {
  return { reason: 'LOCK_DELAY', untilMs, detail: 'a worker was lost with a lease of the site' };
}

function addressSlots({ nowMs, host }: WaitFacts): Wait | undefined {
  const slots = host?.slotsReadyAtMs ?? [];
  const keptAtMs = host?.blockedReason === SLOT_KEPT ? host.blockedUntilMs : null;
  if (keptAtMs !== null && keptAtMs > nowMs) {
    const detail = 'a connection to its address is kept for it then';
    return { reason: 'ADDRESS_SLOTS', untilMs: keptAtMs, detail };
  }
  if (host?.isParked === true) {
    const detail = `all ${slots.length} connections to the site's address are in use; its turn comes`;
    return { reason: 'ADDRESS_SLOTS', untilMs: undefined, detail };
  }
  if (slots.length === 0 || slots.some((readyAtMs) => readyAtMs <= nowMs)) return undefined;
  const next = Math.min(...slots);
  const detail = `all ${slots.length} connections to the site's address are in use`;
  return { reason: 'ADDRESS_SLOTS', untilMs: Number.isFinite(next) ? next : undefined, detail };
}

function queue({ ahead }: WaitFacts): Wait | undefined {
  if (ahead === 0) return undefined;
  const detail = ahead === 1 ? 'one request is served before' : `${ahead} requests are served before`;
  return { reason: 'QUEUE_POSITION', untilMs: undefined, detail };
}

function formatSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1).replace(/\.0$/, '')} s`;
}
