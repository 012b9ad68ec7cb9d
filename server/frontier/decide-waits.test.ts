import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WaitReasonSchema } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import { decideWaits, estimateWaitMs, type WaitFacts } from './decide-waits.ts';

const NOW = 1_000_000;

const HOST: NonNullable<WaitFacts['host']> = {
  hasAddress: true,
  resolveAtMs: NOW + 3_000_000,
  dnsFailures: 0,
  blockedUntilMs: null,
  blockedReason: null,
  robotsUntilMs: null,
  robotsReason: null,
  slotsReadyAtMs: [-Infinity, -Infinity, -Infinity, -Infinity],
  slotSpacingMs: 1_000,
  isParked: false,
};
const SITE: NonNullable<WaitFacts['site']> = {
  readyAtMs: -Infinity,
  shutUntilMs: -Infinity,
  delayMs: 2_000,
  backoffMs: 0,
  parkings: 0,
  leaseExpiresAtMs: null,
};
const REQUEST: NonNullable<WaitFacts['request']> = {
  isLeased: false,
  dueAtMs: NOW,
  attempts: 0,
  lastOutcome: null,
};

function facts(over: Partial<WaitFacts> = {}): WaitFacts {
  return {
    ...{ nowMs: NOW, suspended: null, request: REQUEST, host: HOST, site: SITE },
    ...{ lockDelayMs: 60_000, ahead: 0 },
    ...over,
  };
}
const waits = (over: Partial<WaitFacts>) =>
  decideWaits(facts(over)).map(({ reason, untilMs }) =>
    untilMs === undefined ? [reason] : [reason, untilMs - NOW],
  );
const estimate = (over: Partial<WaitFacts>) => estimateWaitMs(facts(over), decideWaits(facts(over)));
const shut = (ms: number, over: Partial<typeof SITE> = {}) => ({
  site: { ...SITE, readyAtMs: NOW + ms, shutUntilMs: NOW + ms, ...over },
});

test('what can be leased now waits for nothing', () => {
  assert.deepEqual(waits({}), []);
  assert.equal(estimate({}), 0);
});

test('what is being fetched waits for nothing, whatever the gates say', () => {
  const over = { request: { ...REQUEST, isLeased: true }, site: { ...SITE, readyAtMs: Infinity } };
  assert.deepEqual(waits(over), []);
});

test('a later time was asked for, or follows from an attempt that failed', () => {
  const dueAtMs = NOW + 5_000;
  assert.deepEqual(waits({ request: { ...REQUEST, dueAtMs } }), [['NOT_BEFORE', 5_000]]);
  const tried = { ...REQUEST, dueAtMs, attempts: 1, lastOutcome: 'TIMED_OUT' };
  assert.deepEqual(waits({ request: tried }), [['BACK_OFF', 5_000]]);
  assert.match(decideWaits(facts({ request: tried }))[0]?.detail ?? '', /attempt 1 ended as TIMED_OUT/);
  assert.deepEqual(waits({ request: { ...REQUEST, dueAtMs: Infinity } }), [['QUEUE_POSITION']]);
});

test('a name without an address waits for the resolvers, and for their next try once they failed', () => {
  assert.deepEqual(waits({ host: undefined, site: undefined, request: undefined }), [['DNS']]);
  const host = { ...HOST, hasAddress: false, slotsReadyAtMs: [], resolveAtMs: NOW + 9_000 };
  assert.deepEqual(waits({ host }), [['DNS']]);
  assert.deepEqual(waits({ host: { ...host, dnsFailures: 2 } }), [['DNS', 9_000]]);
});

test('an unreachable robots.txt and a blocked host name their time', () => {
  assert.deepEqual(waits({ host: { ...HOST, robotsUntilMs: NOW + 60_000 } }), [['ROBOTS', 60_000]]);
  assert.deepEqual(waits({ host: { ...HOST, robotsUntilMs: NOW } }), [], 'it is asked in the next lease');
  assert.deepEqual(waits({ host: { ...HOST, blockedUntilMs: NOW + 7 } }), [['BACK_OFF', 7]]);
});

test('a shut gate is a delay, a back-off or a parking, by what shut it', () => {
  assert.deepEqual(waits(shut(1_500)), [['SITE_DELAY', 1_500]]);
  assert.deepEqual(waits(shut(1_500, { backoffMs: 2_000 })), [['BACK_OFF', 1_500]]);
  assert.deepEqual(waits(shut(120_000)), [['BACK_OFF', 120_000]], 'a Retry-After');
  assert.deepEqual(waits(shut(3_600_000, { parkings: 1 })), [['PARKED', 3_600_000]]);
});

test('M7: a gate that is shut for longer than the site asked for follows a lost lease', () => {
  assert.deepEqual(waits(shut(9_000, { shutUntilMs: -Infinity })), [['LOCK_DELAY', 9_000]]);
  const unswept = { ...SITE, readyAtMs: Infinity, leaseExpiresAtMs: NOW - 1_000 };
  assert.deepEqual(waits({ site: unswept }), [['LOCK_DELAY', 59_000]]);
});

test('a leased site has no known end', () => {
  const site = { ...SITE, readyAtMs: Infinity, leaseExpiresAtMs: NOW + 30_000 };
  assert.deepEqual(waits({ site }), [['SITE_LEASED']]);
});

test('slots are waited for when none is free, until the first that is known to be', () => {
  const slots = (...slotsReadyAtMs: number[]) => ({ host: { ...HOST, slotsReadyAtMs } });
  assert.deepEqual(waits(slots(Infinity, Infinity, Infinity, NOW)), []);
  assert.deepEqual(waits(slots(Infinity, NOW + 800, NOW + 400, Infinity)), [['ADDRESS_SLOTS', 400]]);
  assert.deepEqual(waits(slots(Infinity, Infinity, Infinity, Infinity)), [['ADDRESS_SLOTS']]);
});

test('a host that is parked waits for its turn, and then for the slot that is kept for it', () => {
  const parked = { host: { ...HOST, isParked: true, slotsReadyAtMs: [Infinity, NOW + 400] } };
  assert.deepEqual(waits(parked), [['ADDRESS_SLOTS']]);
  assert.equal(estimate(parked), undefined, 'how many are before it is not known');
  const called = { host: { ...HOST, blockedUntilMs: NOW + 700, blockedReason: 'slot' } };
  assert.deepEqual(waits(called), [['ADDRESS_SLOTS', 700]]);
  assert.equal(estimate(called), 700);
});

test('all that applies is named, and the estimate adds the queue to the gate only', () => {
  const over = { ...shut(1_500), request: { ...REQUEST, dueAtMs: NOW + 5_000 }, ahead: 3 };
  assert.deepEqual(waits(over), [['NOT_BEFORE', 5_000], ['SITE_DELAY', 1_500], ['QUEUE_POSITION']]);
  assert.equal(estimate(over), 7_500, 'three at two seconds each once the gate is open');
  assert.equal(estimate({ ...over, ahead: 0 }), 5_000);
});

test('a suspended tenant’s URL has no estimate', () => {
  assert.deepEqual(waits({ suspended: 'unpaid' }), [['PAUSE']]);
  assert.equal(estimate({ suspended: 'unpaid' }), undefined);
});

test('every reason is a word of the contract', () => {
  const words = new Set(WaitReasonSchema.values.map(({ name }) => name.slice('WAIT_REASON_'.length)));
  const all = [
    ...decideWaits(
      facts({
        suspended: '',
        request: { ...REQUEST, dueAtMs: NOW + 1 },
        host: { ...HOST, hasAddress: false, blockedUntilMs: NOW + 1, robotsUntilMs: NOW + 1 },
        ...shut(1),
        ahead: 1,
      }),
    ),
    ...decideWaits(facts({ host: { ...HOST, slotsReadyAtMs: [Infinity] }, ...shut(1, { parkings: 1 }) })),
    ...decideWaits(facts(shut(9, { shutUntilMs: 0 }))),
    ...decideWaits(facts({ site: { ...SITE, readyAtMs: Infinity } })),
  ];
  const reasons = new Set(all.map(({ reason }) => reason));
  assert.equal(reasons.size, 11);
  for (const reason of reasons) assert.ok(words.has(reason), reason);
});
