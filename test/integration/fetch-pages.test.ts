import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationMs } from '@bufbuild/protobuf/wkt';
import { Outcome } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import { RobotsState } from '@decorum/proto/decorum/fetch/v1/lease_pb.ts';
import { IDENTITY, leaseOf, startFetchRig } from '../support/fetch/fetch-rig.ts';
import { answer, startRawSite } from '../support/fetch/raw-site.ts';

test('robots.txt is asked for first and its verdict decides each page', async () => {
  await using site = await startRawSite('127.64.10.1', (request, socket) => {
    const body = request.path === '/robots.txt' ? 'User-agent: *\nDisallow: /no' : '<p>page';
    answer(request, socket, { body });
  });
  await using rig = await startFetchRig();
  rig.frontier.robotsAfter = ({ content }) => ({ state: RobotsState.RULES, content, version: 'v1' });
  rig.frontier.grants.push(leaseOf(site, ['/a', '/no/b', '/c'], { robots: null }));
  await rig.frontier.ended(1);

  assert.deepEqual(
    site.requests.map(({ path }) => path),
    ['/robots.txt', '/a', '/c'],
  );
  assert.equal(rig.frontier.attemptAt('/a')?.outcome, Outcome.FETCHED);
  assert.equal(rig.frontier.attemptAt('/a')?.capture?.robotsVersion, 'v1');
  assert.deepEqual(rig.frontier.attemptAt('/no/b')?.outcome, Outcome.ROBOTS_DENIED);
  assert.match(rig.frontier.attemptAt('/no/b')?.detail ?? '', /line 2: Disallow: \/no/);
});

test('a site sees one connection, to the pinned address, with the name in Host, and the gaps it asked for', async () => {
  await using site = await startRawSite('127.64.10.2', (request, socket) => answer(request, socket));
  await using rig = await startFetchRig();
  rig.frontier.grants.push(
    leaseOf(site, ['/1', '/2', '/3', '/4'], {
      host: 'pinned.test',
      siteDelayMs: 150,
      slotSpacingMs: 200,
    }),
  );
  await rig.frontier.ended(1);

  assert.equal(site.openMax(), 1);
  assert.equal(site.connections.length, 1);
  assert.equal(site.requests.length, 4);
  for (const [at, request] of site.requests.entries()) {
    assert.match(request.head, new RegExp(`^host: pinned\\.test:${site.port}\\r$`, 'm'));
    const before = site.requests[at - 1];
    if (before === undefined) continue;
    assert.ok(request.startedAtMs - before.endedAtMs >= 150, 'M1: the gap is too short');
    assert.ok(request.startedAtMs - before.startedAtMs >= 200, 'M2: the spacing is too short');
  }
  const [report] = rig.frontier.reports.filter(({ endLease }) => endLease);
  assert.ok(report?.idle !== undefined && durationMs(report.idle) >= 0);
  await rig.frontier.until(() => site.connections.every(({ closedAtMs }) => closedAtMs < Infinity));
});

test('the fields of a request are the fixed ones and nothing else', async () => {
  await using site = await startRawSite('127.64.10.3', (request, socket) => answer(request, socket));
  await using rig = await startFetchRig();
  rig.frontier.grants.push(leaseOf(site, ['/a?b=%C3%A9']));
  await rig.frontier.ended(1);
  assert.deepEqual(site.requests[0]?.head.split('\r\n'), [
    'GET /a?b=%C3%A9 HTTP/1.1',
    `host: a.test:${site.port}`,
    'connection: keep-alive',
    `User-Agent: ${IDENTITY.userAgent}`,
    `From: ${IDENTITY.from}`,
    'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Accept-Encoding: gzip, br, zstd',
    'Accept-Language: en,*;q=0.5',
    '',
    '',
  ]);
});
