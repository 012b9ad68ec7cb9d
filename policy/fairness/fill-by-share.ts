/** A request that is due at a site. */
export type SharedRequest = { readonly tenantId: string; readonly url: string; readonly band: number };

/** A tenant's claim on a site. */
export type Share = { readonly tenantId: string; readonly weight: number; readonly virtualTime: number };

/** What a batch became: its URLs in order, each with all the requests that it answers, and the clocks afterwards. */
export type FilledBatch<R> = {
  readonly picks: readonly (readonly R[])[];
  /** Of the tenants that were served. */
  readonly virtualTimes: ReadonlyMap<string, number>;
  readonly siteVirtualTime: number;
};

/**
 * Fills a batch of at most `limit` URLs by start-time fair queueing (Goyal, Vin, Cheng 1996): the tenant whose start tag
 * is the lowest is next, and a fetch costs it 1 over its weight, divided by the number of tenants whom the fetch answers.
 * A tenant that comes back starts at the site's virtual time, so that silence saves nothing up (T3). Inside a tenant, bands
 * are drawn by 1, 2, 4 … 128 (`draw` is uniform in [0, 1)), requests of a band taken in the order given.
 */
export function fillByShare<R extends SharedRequest>(
  requests: readonly R[],
  shares: readonly Share[],
  siteVirtualTime: number,
  limit: number,
  draw: () => number,
): FilledBatch<R> {
  const byUrl = Map.groupBy(requests, ({ url }) => url);
  const lines = new Map(shares.map((share) => [share.tenantId, createLine(share, requests)]));
  const virtualTimes = new Map<string, number>();
  const picks: (readonly R[])[] = [];
  let now = siteVirtualTime;
  while (picks.length < limit) {
    const next = nextLine([...lines.values()], byUrl, now);
    if (next === undefined) break;
    now = startTag(next, now);
    const request = takeRequest(next, byUrl, draw);
    const same = byUrl.get(request.url) ?? [];
    byUrl.delete(request.url);
    picks.push(same);
    const tenants = new Set(same.map(({ tenantId }) => tenantId));
    for (const tenantId of tenants) {
      const line = lines.get(tenantId);
      if (line === undefined) continue;
      line.virtualTime = startTag(line, now) + 1 / (line.weight * tenants.size);
      virtualTimes.set(tenantId, line.virtualTime);
    }
  }
  return { picks, virtualTimes, siteVirtualTime: now };
}

type Line<R> = { tenantId: string; weight: number; virtualTime: number; readonly bands: Map<number, R[]> };

function createLine<R extends SharedRequest>(share: Share, requests: readonly R[]): Line<R> {
  const own = requests.filter(({ tenantId }) => tenantId === share.tenantId);
  return { ...share, bands: Map.groupBy(own, ({ band }) => band) };
}

function startTag({ virtualTime }: { readonly virtualTime: number }, now: number): number {
  return Math.max(virtualTime, now);
}

/** The line with the lowest start tag that still has a URL nobody took; the first by id among equals. */
function nextLine<R extends SharedRequest>(
  lines: readonly Line<R>[],
  byUrl: ReadonlyMap<string, unknown>,
  now: number,
): Line<R> | undefined {
  let best: Line<R> | undefined;
  for (const line of lines) {
    dropTaken(line, byUrl);
    if (line.bands.size === 0) continue;
    const order = best === undefined ? -1 : startTag(line, now) - startTag(best, now);
    if (order < 0 || (order === 0 && best !== undefined && line.tenantId < best.tenantId)) best = line;
  }
  return best;
}

function dropTaken<R extends SharedRequest>({ bands }: Line<R>, byUrl: ReadonlyMap<string, unknown>): void {
  for (const [band, requests] of bands) {
    while (requests[0] !== undefined && !byUrl.has(requests[0].url)) requests.shift();
    if (requests.length === 0) bands.delete(band);
  }
}

function takeRequest<R extends SharedRequest>(
  { bands }: Line<R>,
  byUrl: ReadonlyMap<string, unknown>,
  draw: () => number,
): R {
  const present = [...bands].sort(([a], [b]) => a - b);
  let left = draw() * present.reduce((sum, [band]) => sum + 2 ** band, 0);
  for (const [band, requests] of present) {
    left -= 2 ** band;
    const request = requests.find(({ url }) => byUrl.has(url));
    if (left < 0 && request !== undefined) return request;
  }
  const last = present.at(-1)?.[1].find(({ url }) => byUrl.has(url));
  if (last === undefined) throw new Error('T3: a line without a URL was chosen');
  return last;
}
