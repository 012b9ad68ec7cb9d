/** A tenant's band that has something to lease. */
export type DrawnPair = { readonly tenantId: string; readonly band: number; readonly weight: number };

/**
 * Draws a tenant by weight, then one of its bands by 1, 2, 4 … 128: bands order inside a tenant's share and never buy
 * share from others (T3). `tenantDraw` and `bandDraw` are uniform in [0, 1). Undefined when there are no pairs.
 */
export function drawPair<P extends DrawnPair>(
  pairs: readonly P[],
  tenantDraw: number,
  bandDraw: number,
): P | undefined {
  const weights = new Map(pairs.map(({ tenantId, weight }) => [tenantId, weight]));
  const tenantId = pick([...weights], ([, weight]) => weight, tenantDraw)?.[0];
  const own = pairs.filter((pair) => pair.tenantId === tenantId);
  return pick(own, ({ band }) => 2 ** band, bandDraw);
}

function pick<T>(items: readonly T[], weightOf: (item: T) => number, draw: number): T | undefined {
  let left = draw * items.reduce((sum, item) => sum + weightOf(item), 0);
  for (const item of items) {
    left -= weightOf(item);
    if (left < 0) return item;
  }
  return items.at(-1);
}
