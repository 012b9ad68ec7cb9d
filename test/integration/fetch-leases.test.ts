import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Code, ConnectError } from '@connectrpc/connect';
import { Outcome } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import { createAddressBlocks } from '@decorum/policy/address/address-blocks.ts';
import { createDirectoryArchive } from '@decorum/server/archive/directory-archive.ts';
import { getWarcField } from '@decorum/server/archive/warc-header.ts';
import { leaseOf, startFetchRig, type FetchRig } from '../support/fetch/fetch-rig.ts';
import { answer, startRawSite, type RawSite } from '../support/fetch/raw-site.ts';

/** A site that answers `/slow…` never and everything else at once. */
async function startSlowSite(address: string): Promise<RawSite> {
  return startRawSite(address, (request, socket) => {
    if (request.path.startsWith('/slow')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun');
    else answer(request, socket);
  });
}

const isClosed = (site: RawSite) => (): boolean =>
  site.connections.every(({ closedAtMs }) => closedAtMs < Infinity);

async function membersOf(rig: FetchRig): Promise<string[]> {
  const types: string[] = [];
  for (const segmentId of rig.frontier.opened) {
    for await (const member of rig.archive.scanSegment(segmentId)) {
      types.push(member.state === 'whole' ? (getWarcField(member.header, 'WARC-Type') ?? '') : member.state);
    }
  }
  return types;
}

test('leases and segments are renewed every third of their time, and outlive it', async () => {
  await using site = await startRawSite('127.64.15.1', (request, socket) => {
    void delay(request.path === '/slow' ? 2_000 : 0).then(() => answer(request, socket));
  });
  await using rig = await startFetchRig({ leaseMs: 900, limits: { leaseMarginMs: 20 } });
  rig.frontier.grants.push(leaseOf(site, ['/slow', '/1'], { expiresAfterMs: 900 }));
  await rig.frontier.ended(1);
  assert.deepEqual(
    rig.frontier.attempts().map(({ outcome }) => outcome),
    [Outcome.FETCHED, Outcome.FETCHED],
  );
  assert.ok(rig.frontier.renewals.length >= 2);
  assert.ok(rig.frontier.renewals.some(({ segments }) => segments.length === 1));
});

test('a lease that cannot be renewed ends here before it ends there: its socket closes and nothing is reported', async () => {
  await using site = await startSlowSite('127.64.15.2');
  await using rig = await startFetchRig({ limits: { leaseMarginMs: 4_000 } });
  rig.frontier.fail = (call) => {
    if (call === 'renew') throw new ConnectError('down', Code.Unavailable);
  };
  const askedAtMs = performance.now();
  rig.frontier.grants.push(leaseOf(site, ['/1', '/slow', '/3'], { expiresAfterMs: 5_000 }));
  await rig.frontier.until(() => site.requests.length === 2);
  await rig.frontier.until(isClosed(site));
  assert.ok((site.connections[0]?.closedAtMs ?? Infinity) < askedAtMs + 5_000, 'M1: open after the lease');
  await delay(100);
  assert.deepEqual(
    rig.frontier.attempts().map(({ requestId }) => requestId),
    ['/1'],
  );
  assert.ok(!rig.frontier.reports.some(({ endLease }) => endLease));
  assert.equal(site.requests.length, 2);
});

test('a revoked request is aborted at once and reported as not tried; the lease goes on', async () => {
  await using site = await startSlowSite('127.64.15.3');
  await using rig = await startFetchRig({ leaseMs: 1_200, limits: { leaseMarginMs: 20 } });
  rig.frontier.revoked.add('/slow').add('/3');
  rig.frontier.grants.push(leaseOf(site, ['/1', '/slow', '/3', '/4'], { expiresAfterMs: 1_200 }));
  await rig.frontier.ended(1);
  const outcomes = Object.fromEntries(
    rig.frontier.attempts().map(({ requestId, outcome }) => [requestId, outcome]),
  );
  assert.deepEqual(outcomes, {
    '/1': Outcome.FETCHED,
    '/slow': Outcome.NOT_TRIED,
    '/3': Outcome.NOT_TRIED,
    '/4': Outcome.FETCHED,
  });
  assert.deepEqual(
    site.requests.map(({ path }) => path),
    ['/1', '/slow', '/4'],
  );
  assert.equal(
    (await membersOf(rig)).filter((type) => type === 'response').length,
    2,
    'nothing revoked was stored',
  );
});

test('a stale token stops everything: no request, no report, a closed socket', async () => {
  await using site = await startSlowSite('127.64.15.4');
  await using rig = await startFetchRig({ leaseMs: 300, limits: { leaseMarginMs: 20 } });
  rig.frontier.stale.add('t');
  rig.frontier.grants.push(leaseOf(site, ['/1', '/slow', '/3'], { leaseToken: 't', expiresAfterMs: 600 }));
  await rig.frontier.until(() => site.requests.length >= 1);
  await rig.frontier.until(isClosed(site));
  const completes = rig.frontier.completes.length;
  await delay(700);
  assert.equal(rig.frontier.completes.length, completes, 'D3: reported after it was told');
  assert.ok(rig.frontier.completes.every(({ reports }) => reports.every(({ endLease }) => !endLease)));
  assert.ok(!site.requests.some(({ path }) => path === '/3'));
});

test('a Complete that calls the token stale stops the lease too', async () => {
  await using site = await startRawSite('127.64.15.5', (request, socket) => answer(request, socket));
  await using rig = await startFetchRig();
  rig.frontier.grants.push(leaseOf(site, ['/1', '/2', '/3'], { leaseToken: 't', siteDelayMs: 200 }));
  await rig.frontier.until(() => site.requests.length === 1);
  rig.frontier.stale.add('t');
  await rig.frontier.until(isClosed(site));
  await delay(300);
  assert.ok(site.requests.length <= 2);
  assert.ok(!rig.frontier.reports.some(({ endLease }) => endLease));
});

test('a Complete that fails is sent again until it is taken, and a bad report does not hold up others', async () => {
  await using site = await startRawSite('127.64.15.6', (request, socket) => answer(request, socket));
  await using rig = await startFetchRig();
  let failures = 0;
  rig.frontier.fail = (call) => {
    if (call === 'complete' && (failures += 1) <= 2) throw new ConnectError('down', Code.Unavailable);
  };
  rig.frontier.grants.push(leaseOf(site, ['/1']));
  await rig.frontier.ended(1);
  assert.equal(rig.frontier.attempts().length, 1);
  assert.equal(failures, 3);

  rig.frontier.fail = (call) => {
    if (call === 'complete') throw new ConnectError('bad', Code.InvalidArgument);
  };
  rig.frontier.grants.push(leaseOf(site, ['/bad'], { leaseToken: 'bad' }));
  await rig.frontier.until(() => rig.logLines.some((line) => line.includes('attempts are not reported')));
  rig.frontier.fail = () => undefined;
  rig.frontier.grants.push(leaseOf(site, ['/good'], { leaseToken: 'good' }));
  await rig.frontier.ended(2);
  assert.equal(rig.frontier.attemptAt('/good')?.outcome, Outcome.FETCHED);
});

test('attempts are reported while the lease goes on, for several leases in one call', async () => {
  await using site = await startRawSite('127.64.15.7', (request, socket) => answer(request, socket));
  await using rig = await startFetchRig({ limits: { reportDelayMs: 400 } });
  for (const host of ['a', 'b', 'c']) {
    rig.frontier.grants.push(
      leaseOf(site, [`/${host}1`, `/${host}2`], { host: `${host}.test`, siteDelayMs: 1_200 }),
    );
  }
  await rig.frontier.ended(3);
  const [first] = rig.frontier.completes;
  assert.equal(first?.reports.length, 3);
  assert.ok(first.reports.every(({ endLease, attempts }) => !endLease && attempts.length === 1));
});

test('a worker holds no more leases than it may', async () => {
  await using site = await startSlowSite('127.64.15.8');
  await using rig = await startFetchRig({ concurrency: 3, limits: { drainMs: 50 } });
  for (let at = 0; at < 6; at += 1)
    rig.frontier.grants.push(leaseOf(site, ['/slow'], { host: `h${at}.test` }));
  await rig.frontier.until(() => site.requests.length === 3);
  await delay(150);
  assert.equal(site.openMax(), 3);
  assert.equal(rig.frontier.grants.length, 3);
});

test('a worker that is told to end lets the running request end, reports the rest and hands everything back', async () => {
  await using site = await startRawSite('127.64.15.9', (request, socket) => {
    void delay(request.path === '/running' ? 300 : 0).then(() => answer(request, socket));
  });
  const rig = await startFetchRig();
  await using stack = new AsyncDisposableStack();
  stack.use(rig);
  rig.frontier.grants.push(leaseOf(site, ['/1', '/running', '/3']));
  await rig.frontier.until(() => site.requests.length === 2);
  rig.shutDown();
  await rig.worker[Symbol.asyncDispose]();

  const outcomes = Object.fromEntries(
    rig.frontier.attempts().map(({ requestId, outcome }) => [requestId, outcome]),
  );
  assert.deepEqual(outcomes, { '/1': Outcome.FETCHED, '/running': Outcome.FETCHED, '/3': Outcome.NOT_TRIED });
  assert.equal(rig.frontier.reports.filter(({ endLease }) => endLease).length, 1);
  assert.deepEqual(
    rig.frontier.closed.map(({ segmentId }) => segmentId),
    rig.frontier.opened,
  );
  assert.equal(site.requests.length, 2);
  assert.ok(isClosed(site)());
});

test('what does not end while draining is aborted, and a lease that is still granted is given back', async () => {
  await using site = await startSlowSite('127.64.15.10');
  const rig = await startFetchRig({ limits: { drainMs: 100, leaseWaitMs: 200 } });
  await using stack = new AsyncDisposableStack();
  stack.use(rig);
  rig.frontier.grants.push(leaseOf(site, ['/slow', '/2']));
  await rig.frontier.until(() => site.requests.length === 1);
  rig.shutDown();
  rig.frontier.grants.push(leaseOf(site, ['/late'], { leaseToken: 'late', host: 'late.test' }));
  await rig.worker[Symbol.asyncDispose]();
  assert.deepEqual(
    rig.frontier.attempts().map(({ requestId, outcome }) => [requestId, outcome]),
    [
      ['/slow', Outcome.NOT_TRIED],
      ['/2', Outcome.NOT_TRIED],
    ],
  );
  assert.ok(
    rig.frontier.released.length + rig.frontier.grants.length === 1,
    'it was given back, or never taken',
  );
  assert.ok(!site.requests.some(({ path }) => path === '/late'));
});

test('a worker whose server is gone ends all the same', async () => {
  await using site = await startRawSite('127.64.15.16', (request, socket) => answer(request, socket));
  const rig = await startFetchRig({ limits: { drainMs: 200 } });
  await using stack = new AsyncDisposableStack();
  stack.use(rig);
  rig.frontier.grants.push(leaseOf(site, ['/1', '/2'], { siteDelayMs: 100 }));
  await rig.frontier.until(() => site.requests.length === 1);
  rig.frontier.fail = () => {
    throw new ConnectError('gone', Code.Unavailable);
  };
  await rig.worker[Symbol.asyncDispose]();
  assert.ok(!rig.frontier.reports.some(({ endLease }) => endLease));
  assert.ok(isClosed(site)());
});

test('a segment closes at its bounds and the next one takes over', async () => {
  await using site = await startRawSite('127.64.15.11', (request, socket) =>
    answer(request, socket, { body: 'x'.repeat(500) }),
  );
  await using rig = await startFetchRig();
  rig.frontier.segment = { maxBytes: 1n, maxAgeMs: 600_000 };
  rig.frontier.grants.push(leaseOf(site, ['/1', '/2', '/3']));
  await rig.frontier.ended(1);
  const segmentOf = rig.frontier.attempts().map(({ capture }) => capture?.segmentId);
  assert.deepEqual(segmentOf, rig.frontier.opened.slice(-3), 'each in a segment of its own');
  await rig.worker[Symbol.asyncDispose]();
  assert.deepEqual(
    new Set(rig.frontier.closed.map(({ segmentId }) => segmentId)),
    new Set(rig.frontier.opened),
  );
  assert.ok(rig.frontier.closed.every(({ bytes }) => bytes > 0n));
  const types = await membersOf(rig);
  assert.equal(types.filter((type) => type === 'response').length, 3);
  assert.ok(!types.includes('damaged') && !types.includes('unreadable'));
});

test('a segment that was lost takes nothing that is reported', async () => {
  await using site = await startRawSite('127.64.15.12', (request, socket) => answer(request, socket));
  await using rig = await startFetchRig({ leaseMs: 1_200, limits: { leaseMarginMs: 20 } });
  rig.frontier.grants.push(leaseOf(site, ['/1', '/2', '/3'], { siteDelayMs: 600, expiresAfterMs: 1_200 }));
  await rig.frontier.until(() => rig.frontier.opened.length === 1);
  const [first = ''] = rig.frontier.opened;
  rig.frontier.staleSegments.add(first);
  await rig.frontier.ended(1);
  assert.equal(rig.frontier.attemptAt('/3')?.capture?.segmentId, rig.frontier.opened[1]);
  assert.ok(!rig.frontier.closed.some(({ segmentId }) => segmentId === first));
});

test('while the archive takes nothing, no lease is asked for and nothing is lost', async () => {
  await using site = await startRawSite('127.64.15.13', (request, socket) => answer(request, socket));
  let isFull = true;
  const rig = await startFetchRig({
    archive: {
      openSegment: (segment) =>
        isFull
          ? Promise.reject(new Error('no space left'))
          : createDirectoryArchive(rig.archiveDir).openSegment(segment),
    },
  });
  await using stack = new AsyncDisposableStack();
  stack.use(rig);
  rig.frontier.grants.push(leaseOf(site, ['/1'], { leaseToken: 'one' }));
  await rig.frontier.ended(1);
  assert.equal(rig.frontier.attemptAt('/1')?.outcome, Outcome.NOT_TRIED);
  assert.equal(site.requests.length, 0, 'nothing is fetched that could not be kept');
  // The call for leases that was under way when the archive failed still ends.
  await delay(200);
  rig.frontier.grants.push(leaseOf(site, ['/2'], { leaseToken: 'two' }));
  await delay(300);
  assert.equal(rig.frontier.grants.length, 1, 'D5: a lease was asked for');
  isFull = false;
  await rig.frontier.ended(2);
  assert.equal(rig.frontier.attemptAt('/2')?.outcome, Outcome.FETCHED);
});

test('the server may be away for a while', async () => {
  await using site = await startRawSite('127.64.15.14', (request, socket) => answer(request, socket));
  await using rig = await startFetchRig({ exemptAddresses: createAddressBlocks(['127.64.0.0/10']) });
  let calls = 0;
  rig.frontier.fail = (call) => {
    if (call === 'lease' && (calls += 1) < 4) throw new ConnectError('away', Code.Unavailable);
  };
  rig.frontier.grants.push(leaseOf(site, ['/1']));
  await rig.frontier.ended(1);
  assert.equal(rig.frontier.attemptAt('/1')?.outcome, Outcome.FETCHED);
});

test('no spool is left behind', async () => {
  await using site = await startRawSite('127.64.15.15', (request, socket) =>
    answer(request, socket, { body: 'x'.repeat(600_000) }),
  );
  await using rig = await startFetchRig();
  rig.frontier.grants.push(leaseOf(site, ['/1', '/2']));
  await rig.frontier.ended(1);
  const left = await readdir(rig.archiveDir);
  assert.deepEqual(left, ['segments'], join(...left));
});
