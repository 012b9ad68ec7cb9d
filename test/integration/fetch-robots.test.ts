import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { durationFromMs, durationMs } from '@bufbuild/protobuf/wkt';
import { SignalSource } from '@decorum/proto/decorum/crawl/v1/capture_pb.ts';
import { Outcome } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import type { RobotsAttempt } from '@decorum/proto/decorum/fetch/v1/attempt_pb.ts';
import { RobotsState } from '@decorum/proto/decorum/fetch/v1/lease_pb.ts';
import { ROBOTS_OCTETS_MAX } from '@decorum/policy/robots/cut-robots.ts';
import { leaseOf, startFetchRig } from '../support/fetch/fetch-rig.ts';
import { answer, startRawSite, type Respond } from '../support/fetch/raw-site.ts';

/** Asks a site for its robots.txt and answers what was reported, and what the site saw. */
async function askAt(respond: Respond): Promise<{ robots: RobotsAttempt; paths: string[] }> {
  await using site = await startRawSite('127.64.14.1', respond);
  await using rig = await startFetchRig();
  rig.frontier.robotsAfter = () => ({ state: RobotsState.DISALLOW_ALL });
  rig.frontier.grants.push(leaseOf(site, ['/page'], { robots: null }));
  await rig.frontier.ended(1);
  const robots = rig.frontier.reports.find((report) => report.robots !== undefined)?.robots;
  assert.ok(robots !== undefined);
  assert.equal(rig.frontier.attemptAt('/page')?.outcome, Outcome.ROBOTS_UNREACHABLE);
  return { robots, paths: site.requests.map(({ path }) => path) };
}

test('a robots.txt is reported with its content, its age and its times', async () => {
  const { robots, paths } = await askAt((request, socket) =>
    answer(request, socket, { body: 'User-agent: *\n', fields: ['Cache-Control: public, max-age=7200'] }),
  );
  assert.deepEqual(paths, ['/robots.txt']);
  assert.equal(robots.outcome, Outcome.FETCHED);
  assert.equal(robots.statusCode, 200);
  assert.equal(Buffer.from(robots.content).toString(), 'User-agent: *\n');
  assert.equal(robots.truncated, false);
  assert.deepEqual(robots.maxAge, durationFromMs(7_200_000));
  assert.ok(robots.responseTime !== undefined && durationMs(robots.responseTime) >= 0);
  assert.ok(robots.bytesReceived > 14n && robots.bytesSent > 100n);
});

test('a robots.txt that came compressed is reported as what it says', async () => {
  const { robots } = await askAt((request, socket) =>
    answer(request, socket, { body: gzipSync('User-agent: *\n'), fields: ['Content-Encoding: gzip'] }),
  );
  assert.equal(Buffer.from(robots.content).toString(), 'User-agent: *\n');

  const { robots: broken } = await askAt((request, socket) =>
    answer(request, socket, { body: 'no gzip', fields: ['Content-Encoding: gzip'] }),
  );
  assert.equal(broken.outcome, Outcome.PROTOCOL_ERROR);
  assert.equal(broken.statusCode, 0);
});

test('of a robots.txt that is too long the lines that fit are reported', async () => {
  const line = 'Disallow: /0123456789\n';
  const { robots } = await askAt((request, socket) => answer(request, socket, { body: line.repeat(50_000) }));
  assert.equal(robots.truncated, true);
  assert.ok(
    robots.content.length <= ROBOTS_OCTETS_MAX && robots.content.length > ROBOTS_OCTETS_MAX - line.length,
  );
  assert.ok(Buffer.from(robots.content).toString().endsWith('0123456789'));
});

test('errors are reported by status, and what brings no answer without one', async () => {
  const { robots: missing } = await askAt((request, socket) => answer(request, socket, { status: '404 No' }));
  assert.equal(missing.statusCode, 404);
  assert.equal(missing.content.length, 0);
  const { robots: busy } = await askAt((request, socket) =>
    answer(request, socket, { status: '503 Busy', fields: ['Retry-After: 77'] }),
  );
  assert.equal(busy.statusCode, 503);
  assert.equal(busy.outcome, Outcome.HTTP_RETRYABLE);
  assert.equal(busy.retryAfterS, 77);
  const { robots: reset } = await askAt((_request, socket) => void socket.resetAndDestroy());
  assert.equal(reset.outcome, Outcome.RESET);
  assert.equal(reset.statusCode, 0);
  const { robots: cut } = await askAt(
    (_request, socket) =>
      void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nUser-agent: *\nAllow: /'),
  );
  assert.equal(cut.outcome, Outcome.RESET);
  assert.equal(cut.content.length, 0, 'half a file may say anything');
});

test('redirects within the origin are followed at the pace of the site, at most five', async () => {
  await using site = await startRawSite('127.64.14.2', (request, socket) => {
    const hop = request.path === '/robots.txt' ? 0 : Number(request.path.slice(1));
    if (hop === 5) answer(request, socket, { body: 'User-agent: *\nDisallow: /no\n' });
    else answer(request, socket, { status: '302 Found', fields: [`Location: /${hop + 1}`] });
  });
  await using rig = await startFetchRig();
  rig.frontier.robotsAfter = ({ content }) => ({ state: RobotsState.RULES, content });
  rig.frontier.grants.push(leaseOf(site, ['/no', '/yes'], { robots: null, siteDelayMs: 60 }));
  await rig.frontier.ended(1);
  assert.deepEqual(
    site.requests.map(({ path }) => path),
    ['/robots.txt', '/1', '/2', '/3', '/4', '/5', '/yes'],
  );
  for (const [at, request] of site.requests.entries()) {
    const before = site.requests[at - 1];
    if (before !== undefined)
      assert.ok(request.startedAtMs - before.endedAtMs >= 60, 'M1: the gap is too short');
  }
  assert.equal(site.openMax(), 1);
  assert.equal(rig.frontier.attemptAt('/no')?.outcome, Outcome.ROBOTS_DENIED);
});

test('a sixth redirect and a loop are not followed', async () => {
  const chain = await askAt((request, socket) => {
    const hop = request.path === '/robots.txt' ? 0 : Number(request.path.slice(1));
    answer(request, socket, { status: '301 Moved', fields: [`Location: /${hop + 1}`] });
  });
  assert.equal(chain.paths.length, 6);
  assert.equal(chain.robots.redirectUrl, '');
  assert.equal(chain.robots.detail, 'TOO_MANY_REDIRECTS');
  const loop = await askAt((request, socket) =>
    answer(request, socket, { status: '301 Moved', fields: ['Location: /robots.txt'] }),
  );
  assert.deepEqual(loop.paths, ['/robots.txt']);
  assert.equal(loop.robots.detail, 'REDIRECT_LOOP');
});

test('a redirect that leaves the origin is reported, not followed', async () => {
  for (const location of [
    'http://other.test/robots.txt',
    'https://a.test/robots.txt',
    'http://a.test:81/r',
  ]) {
    const { robots, paths } = await askAt((request, socket) =>
      answer(request, socket, { status: '301 Moved', fields: [`Location: ${location}`] }),
    );
    assert.deepEqual(paths, ['/robots.txt']);
    assert.equal(robots.outcome, Outcome.REDIRECTED);
    assert.equal(robots.statusCode, 301);
    assert.equal(robots.redirectUrl, location);
  }
});

test('a copy that is fresh is used as it is, one that is stale is asked for again', async () => {
  await using site = await startRawSite('127.64.14.3', (request, socket) => answer(request, socket));
  await using rig = await startFetchRig();
  const rules = {
    state: RobotsState.RULES,
    content: Buffer.from('User-agent: decorumbot\nDisallow: /no'),
    version: 'v',
  };
  rig.frontier.grants.push(leaseOf(site, ['/no', '/1'], { robots: rules, leaseToken: 'fresh' }));
  await rig.frontier.ended(1);
  assert.deepEqual(
    site.requests.map(({ path }) => path),
    ['/1'],
  );
  rig.frontier.grants.push(leaseOf(site, ['/2'], { robots: { ...rules, stale: true }, leaseToken: 'stale' }));
  await rig.frontier.ended(2);
  assert.deepEqual(
    site.requests.map(({ path }) => path),
    ['/1', '/robots.txt', '/2'],
  );
});

test('while the platform knows no rules, nothing of the origin is fetched', async () => {
  await using site = await startRawSite('127.64.14.4', (request, socket) => answer(request, socket));
  await using rig = await startFetchRig();
  rig.frontier.robotsAfter = () => undefined;
  rig.frontier.grants.push(leaseOf(site, ['/1', '/2'], { robots: null }));
  await rig.frontier.ended(1);
  assert.deepEqual(
    rig.frontier.attempts().map(({ outcome }) => outcome),
    [Outcome.NOT_TRIED, Outcome.NOT_TRIED],
  );
  assert.equal(site.requests.length, 1);
});

test('a purpose that robots.txt refuses is opted out when it asked alone, and noted when others ask too', async () => {
  await using site = await startRawSite('127.64.14.5', (request, socket) => answer(request, socket));
  await using rig = await startFetchRig();
  const robots = {
    state: RobotsState.RULES,
    content: Buffer.from('User-agent: decorumbot-ai-train\nDisallow: /\n\nUser-agent: *\nAllow: /a'),
  };
  const alone = { robots, leaseToken: 'alone', item: { purposes: ['AI_TRAIN'] } };
  const together = { robots, leaseToken: 'together', item: { purposes: ['AI_TRAIN', 'SEARCH'] } };
  rig.frontier.grants.push(
    leaseOf(site, ['/alone'], alone),
    leaseOf(site, ['/a/both'], { ...together, host: 'b.test' }),
  );
  await rig.frontier.ended(2);
  assert.equal(rig.frontier.attemptAt('/alone')?.outcome, Outcome.OPTED_OUT);
  const both = rig.frontier.attemptAt('/a/both');
  assert.equal(both?.outcome, Outcome.FETCHED);
  assert.equal(both.capture?.robotsLine, '5: Allow: /a');
  assert.deepEqual(
    both.capture.signals.map(({ source, name, value }) => ({ source, name, value })),
    [{ source: SignalSource.ROBOTS, name: 'decorumbot-ai-train', value: '2: Disallow: /' }],
  );
  assert.equal(site.requests.length, 1);
});
