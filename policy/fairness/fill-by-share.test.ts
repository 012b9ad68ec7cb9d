import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fillByShare, type Share, type SharedRequest } from './fill-by-share.ts';

const many = (tenantId: string, count: number, band = 3): SharedRequest[] =>
  Array.from({ length: count }, (_, i) => ({ tenantId, url: `${tenantId}/${band}/${i}`, band }));

const share = (tenantId: string, weight = 1, virtualTime = 0): Share => ({ tenantId, weight, virtualTime });

const served = (batch: { picks: readonly (readonly SharedRequest[])[] }) =>
  batch.picks.map(([first]) => first?.tenantId ?? '');

test('T3: a batch is shared by weight', () => {
  const requests = [...many('a', 80), ...many('b', 80), ...many('c', 80)];
  const batch = fillByShare(requests, [share('a', 1), share('b', 2), share('c', 5)], 0, 80, () => 0.5);
  const counts = Map.groupBy(served(batch), (tenant) => tenant);
  assert.deepEqual(
    ['a', 'b', 'c'].map((tenant) => counts.get(tenant)?.length),
    [10, 20, 50],
  );
});

test('T3: a newcomer waits for at most ⌈W/w⌉ fetches, however long the others have been there', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(
      weights,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 60 }),
      (others, own, before) => {
        const shares = others.map((weight, i) => share(`t${i}`, weight));
        const requests = shares.flatMap(({ tenantId }) => many(tenantId, 400));
        const first = fillByShare(requests, shares, 0, before, () => 0.5);
        const taken = new Set(first.picks.flat().map(({ url }) => url));
        const later = shares.map((s) => ({
          ...s,
          virtualTime: first.virtualTimes.get(s.tenantId) ?? s.virtualTime,
        }));
        const batch = fillByShare(
          [...requests.filter(({ url }) => !taken.has(url)), ...many('new', 1)],
          [...later, share('new', own)],
          first.siteVirtualTime,
          400,
          () => 0.5,
        );
        const sum = others.reduce((a, b) => a + b, own);
        assert.ok(served(batch).indexOf('new') <= Math.ceil(sum / own));
      },
    ),
  );
});

test('what several tenants want is one fetch, and costs each its part', () => {
  const requests = [
    { tenantId: 'a', url: 'x', band: 3 },
    { tenantId: 'b', url: 'x', band: 0 },
  ];
  const batch = fillByShare(requests, [share('a', 1), share('b', 2)], 10, 5, () => 0);
  assert.equal(batch.picks.length, 1);
  assert.deepEqual(batch.picks[0], requests);
  assert.deepEqual(
    batch.virtualTimes,
    new Map([
      ['a', 10.5],
      ['b', 10.25],
    ]),
  );
});

test('bands order inside a tenant’s share and buy nothing from others', () => {
  let draws = 0;
  const draw = () => ((draws += 1) * 0.618034) % 1;
  const requests = [...many('a', 400, 7), ...many('a', 400, 6), ...many('b', 400, 0)];
  const batch = fillByShare(requests, [share('a'), share('b')], 0, 300, draw);
  const own = batch.picks.flat().filter(({ tenantId }) => tenantId === 'a');
  assert.equal(own.length, 150);
  const urgent = own.filter(({ band }) => band === 7).length;
  assert.ok(urgent > 90 && urgent < 110, `${urgent} of 150 in band 7`);
});

test('a batch has no more than its limit and no URL twice', () => {
  const request = fc.record({
    tenantId: fc.constantFrom('a', 'b', 'c'),
    url: fc.integer({ min: 0, max: 12 }).map(String),
    band: fc.integer({ min: 0, max: 7 }),
  });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 40 }), fc.integer({ min: 0, max: 20 }), (requests, limit) => {
      const batch = fillByShare(requests, [share('a'), share('b', 3), share('c', 9)], 0, limit, Math.random);
      const urls = batch.picks.map(([first]) => first?.url);
      assert.equal(new Set(urls).size, urls.length);
      assert.equal(urls.length, Math.min(limit, new Set(requests.map(({ url }) => url)).size));
    }),
  );
});
