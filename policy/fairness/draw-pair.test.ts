import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawPair, type DrawnPair } from './draw-pair.ts';

const STEPS = 240;

/** The exact shares, by drawing every point of a fine grid. */
function sharesOf(pairs: readonly DrawnPair[], keyOf: (pair: DrawnPair) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (let i = 0; i < STEPS; i += 1) {
    for (let j = 0; j < STEPS; j += 1) {
      const pair = drawPair(pairs, (i + 0.5) / STEPS, (j + 0.5) / STEPS);
      assert.ok(pair);
      counts.set(keyOf(pair), (counts.get(keyOf(pair)) ?? 0) + 1 / STEPS ** 2);
    }
  }
  return counts;
}

test('tenants are drawn by weight whatever their bands', () => {
  const pairs = [
    { tenantId: 'a', band: 0, weight: 1 },
    ...[0, 1, 2, 3, 4, 5, 6, 7].map((band) => ({ tenantId: 'b', band, weight: 2 })),
    { tenantId: 'c', band: 7, weight: 5 },
  ];
  const shares = sharesOf(pairs, ({ tenantId }) => tenantId);
  for (const [tenantId, share] of [
    ['a', 1 / 8],
    ['b', 2 / 8],
    ['c', 5 / 8],
  ] as const) {
    assert.ok(Math.abs((shares.get(tenantId) ?? 0) - share) < 0.01, tenantId);
  }
});

test('inside a tenant a band is drawn twice as often as the one below', () => {
  const pairs = [5, 6, 7].map((band) => ({ tenantId: 'a', band, weight: 3 }));
  const shares = sharesOf(pairs, ({ band }) => String(band));
  for (const [band, share] of [
    ['5', 1 / 7],
    ['6', 2 / 7],
    ['7', 4 / 7],
  ] as const) {
    assert.ok(Math.abs((shares.get(band) ?? 0) - share) < 0.01, band);
  }
});

test('nothing is drawn from nothing', () => {
  const drawn = drawPair<DrawnPair>([], 0.5, 0.5);
  assert.equal(drawn, undefined);
});
