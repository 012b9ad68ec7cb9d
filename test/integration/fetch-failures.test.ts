import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { Truncation } from '@decorum/proto/decorum/crawl/v1/capture_pb.ts';
import { Outcome } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import { createAddressBlocks } from '@decorum/policy/address/address-blocks.ts';
import { leaseOf, startFetchRig } from '../support/fetch/fetch-rig.ts';
import { answer, startRawSite, type SeenRequest } from '../support/fetch/raw-site.ts';

const PAGE = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello';

type Case = {
  path: string;
  write: (socket: Socket, request: SeenRequest) => void;
  outcome: Outcome;
  stored?: Truncation;
};

const CASES: Case[] = [
  { path: '/reset', write: (socket) => socket.resetAndDestroy(), outcome: Outcome.RESET },
  { path: '/close', write: (socket) => void socket.end(), outcome: Outcome.RESET },
  { path: '/half-status', write: (socket) => void socket.end('HTTP/1.1 2'), outcome: Outcome.RESET },
  { path: '/half-interim', write: (socket) => void socket.end('HTTP/1.1 103 E\r\n'), outcome: Outcome.RESET },
  {
    path: '/half-head',
    write: (socket) => void socket.end('HTTP/1.1 200 OK\r\nX: y\r\n'),
    outcome: Outcome.RESET,
  },
  {
    path: '/half-body',
    write: (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'),
    outcome: Outcome.RESET,
    stored: Truncation.DISCONNECT,
  },
  {
    path: '/half-chunk',
    write: (socket) => void socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel'),
    outcome: Outcome.RESET,
    stored: Truncation.DISCONNECT,
  },
  {
    path: '/no-last-chunk',
    write: (socket) =>
      void socket.end(
        'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
      ),
    outcome: Outcome.RESET,
    stored: Truncation.DISCONNECT,
  },
  {
    path: '/ssh',
    write: (socket) => void socket.write('SSH-2.0-OpenSSH_9\r\n'),
    outcome: Outcome.PROTOCOL_ERROR,
  },
  {
    path: '/http09',
    write: (socket) => void socket.end('<p>no head at all'),
    outcome: Outcome.PROTOCOL_ERROR,
  },
  {
    path: '/lengths',
    write: (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
    outcome: Outcome.PROTOCOL_ERROR,
  },
  {
    path: '/chunk-size',
    write: (socket) => void socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n'),
    outcome: Outcome.PROTOCOL_ERROR,
  },
  {
    path: '/field-name',
    write: (socket) => void socket.end('HTTP/1.1 200 OK\r\nno colon\r\n\r\n'),
    outcome: Outcome.PROTOCOL_ERROR,
  },
  {
    path: '/upgrade',
    write: (socket) =>
      void socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
      ),
    outcome: Outcome.PROTOCOL_ERROR,
  },
  {
    path: '/101',
    write: (socket) => void socket.write(`HTTP/1.1 101 Switching Protocols\r\n\r\n${PAGE}`),
    outcome: Outcome.PROTOCOL_ERROR,
  },
  {
    path: '/ok',
    write: (socket) => void socket.write(PAGE),
    outcome: Outcome.FETCHED,
    stored: Truncation.UNSPECIFIED,
  },
  {
    path: '/interim',
    write: (socket) =>
      void socket.write(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n${PAGE}`),
    outcome: Outcome.FETCHED,
    stored: Truncation.UNSPECIFIED,
  },
  {
    path: '/until-close',
    write: (socket) => void socket.end('HTTP/1.0 200 OK\r\n\r\nuntil the end'),
    outcome: Outcome.FETCHED,
    stored: Truncation.UNSPECIFIED,
  },
  ...[408, 425, 429, 500, 502, 503, 504, 599].map((status) => ({
    path: `/${status}`,
    write: (socket: Socket) => void socket.write(PAGE.replace('200 OK', `${status} Oh`)),
    outcome: Outcome.HTTP_RETRYABLE,
    stored: Truncation.UNSPECIFIED,
  })),
  ...[201, 204, 304, 400, 401, 403, 404, 407, 410, 451].map((status) => ({
    path: `/${status}`,
    write: (socket: Socket) => {
      const page = status === 204 || status === 304 ? PAGE.replace(/Content-Length.*$/s, '\r\n') : PAGE;
      socket.write(page.replace('200 OK', `${status} Oh`));
    },
    outcome: Outcome.FETCHED,
    stored: Truncation.UNSPECIFIED,
  })),
];

test('what a site does to a request becomes the outcome of the table, and what can be kept is kept', async () => {
  await using site = await startRawSite('127.64.12.1', (request, socket) => {
    CASES.find(({ path }) => path === request.path)?.write(socket, request);
  });
  // A lease each, so that no case meets a connection that another one left behind.
  await using rig = await startFetchRig({ concurrency: 4 });
  for (const { path } of CASES) {
    rig.frontier.grants.push(leaseOf(site, [path], { host: `h${path.replaceAll('/', '-')}.test` }));
  }
  await rig.frontier.ended(CASES.length);
  for (const { path, outcome, stored } of CASES) {
    const attempt = rig.frontier.attemptAt(path);
    assert.equal(attempt?.outcome, outcome, `${path}: ${attempt?.detail ?? ''}`);
    assert.equal(attempt.capture?.truncation, stored, path);
    assert.doesNotMatch(attempt.detail, /127\.|unexpected/, path);
  }
  assert.equal(rig.frontier.attemptAt('/until-close')?.capture?.closeDelimited, true);
  assert.equal(rig.frontier.attemptAt('/ok')?.capture?.closeDelimited, false);
});

test('one failure does not end a lease: the next page comes on a new connection, after the delay', async () => {
  await using site = await startRawSite('127.64.12.2', (request, socket) => {
    if (request.path === '/2')
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', () => socket.destroy());
    else answer(request, socket);
  });
  await using rig = await startFetchRig();
  rig.frontier.grants.push(leaseOf(site, ['/1', '/2', '/3'], { siteDelayMs: 100 }));
  await rig.frontier.ended(1);
  assert.deepEqual(
    rig.frontier.attempts().map(({ outcome }) => outcome),
    [Outcome.FETCHED, Outcome.RESET, Outcome.FETCHED],
  );
  assert.deepEqual(
    site.requests.map(({ connection }) => connection),
    [0, 0, 1],
  );
  assert.equal(site.openMax(), 1);
  const [, second, third] = site.requests;
  assert.ok((third?.startedAtMs ?? 0) - (second?.endedAtMs ?? Infinity) >= 100, 'M1: no delay after a reset');
});

test('a connection that was closed while it waited is repeated once on a new one, after the delay', async () => {
  const seen: string[] = [];
  await using site = await startRawSite('127.64.12.3', (request, socket) => {
    seen.push(request.path);
    // The second request on any connection is reset before a byte of its answer.
    const isSecond = site.requests.filter(({ connection }) => connection === request.connection).length === 2;
    if (isSecond) socket.resetAndDestroy();
    else answer(request, socket);
  });
  await using rig = await startFetchRig();
  rig.frontier.grants.push(leaseOf(site, ['/1', '/2'], { siteDelayMs: 80 }));
  await rig.frontier.ended(1);
  assert.deepEqual(seen, ['/1', '/2', '/2']);
  assert.equal(rig.frontier.attemptAt('/2')?.outcome, Outcome.FETCHED);
  assert.equal(rig.frontier.attempts().length, 2);
  const [, reset, again] = site.requests;
  assert.ok(
    (again?.startedAtMs ?? 0) - (reset?.endedAtMs ?? Infinity) >= 80,
    'M1: no delay before the repetition',
  );
});

test('a reset on a fresh connection, or after a byte of the answer, is not repeated', async () => {
  await using site = await startRawSite('127.64.12.4', (request, socket) => {
    if (request.path === '/fresh') socket.resetAndDestroy();
    else if (request.path === '/begun') socket.write('H', () => socket.resetAndDestroy());
    else answer(request, socket);
  });
  await using rig = await startFetchRig();
  rig.frontier.grants.push(leaseOf(site, ['/fresh']));
  await rig.frontier.ended(1);
  rig.frontier.grants.push(leaseOf(site, ['/1', '/begun']));
  await rig.frontier.ended(2);
  assert.deepEqual(
    site.requests.map(({ path }) => path),
    ['/fresh', '/1', '/begun'],
  );
  assert.equal(rig.frontier.attemptAt('/fresh')?.outcome, Outcome.RESET);
  assert.equal(rig.frontier.attemptAt('/begun')?.outcome, Outcome.RESET);
});

test('an address that is not public is never dialled', async () => {
  await using site = await startRawSite('127.64.12.5', (request, socket) => answer(request, socket));
  await using rig = await startFetchRig({ exemptAddresses: createAddressBlocks([]) });
  rig.frontier.grants.push(leaseOf(site, ['/1', '/2'], { siteDelayMs: 60_000 }));
  await rig.frontier.ended(1);
  assert.deepEqual(
    rig.frontier.attempts().map(({ outcome }) => outcome),
    [Outcome.ADDRESS_FORBIDDEN, Outcome.ADDRESS_FORBIDDEN],
  );
  assert.equal(site.connections.length, 0);
  const [report] = rig.frontier.reports.filter(({ endLease }) => endLease);
  assert.equal(report?.idle, undefined, 'the site was not touched');
});

test('a redirect is reported with its target and stored, and not followed', async () => {
  const locations: [path: string, location: string | null, target: string][] = [
    ['/301', '/next?a#b', '/next?a'],
    ['/302', 'http://user:pw@other.test:8080/%7ex', 'http://other.test:8080/~x'],
    ['/303', 'relative', '/relative'],
    ['/307', '/\xc3\xa9', '/%C3%A9'],
    ['/308', '/\xe9', '/%C3%A9'],
  ];
  await using site = await startRawSite('127.64.12.6', (request, socket) => {
    const [, location] = locations.find(([path]) => path === request.path) ?? ['', null];
    const fields = location === null ? [] : [`Location: ${location}`];
    const status = /^\/\d+$/.test(request.path) ? request.path.slice(1) : '302';
    if (request.path === '/nowhere') fields.push('Location: mailto:a@b.test');
    answer(request, socket, { status: `${status} Moved`, fields, body: 'moved' });
  });
  await using rig = await startFetchRig();
  rig.frontier.grants.push(leaseOf(site, [...locations.map(([path]) => path), '/nowhere', '/bare', '/300']));
  await rig.frontier.ended(1);
  for (const [path, , target] of locations) {
    const attempt = rig.frontier.attemptAt(path);
    assert.equal(attempt?.outcome, Outcome.REDIRECTED, path);
    const absolute = target.startsWith('/') ? `http://a.test:${site.port}${target}` : target;
    assert.equal(attempt.redirectUrl, absolute);
    assert.equal(attempt.capture?.bodyBytes, 5n);
  }
  assert.equal(rig.frontier.attemptAt('/nowhere')?.outcome, Outcome.REDIRECTED);
  assert.equal(rig.frontier.attemptAt('/nowhere')?.redirectUrl, '');
  assert.equal(rig.frontier.attemptAt('/bare')?.outcome, Outcome.FETCHED);
  assert.equal(rig.frontier.attemptAt('/300')?.outcome, Outcome.FETCHED);
  assert.equal(site.requests.length, 8);
});

test('while nobody could tell who we are, only exempt addresses are dialled', async () => {
  await using site = await startRawSite('127.64.12.10', (request, socket) => answer(request, socket));
  await using rig = await startFetchRig({
    publicRefusal: 'who are we',
    exemptAddresses: createAddressBlocks(['127.65.0.0/16']),
  });
  rig.frontier.grants.push(leaseOf(site, ['/']));
  await rig.frontier.ended(1);
  assert.equal(rig.frontier.attemptAt('/')?.outcome, Outcome.ADDRESS_FORBIDDEN);
  assert.equal(rig.frontier.attemptAt('/')?.detail, 'who are we');
  await using other = await startFetchRig({ publicRefusal: 'who are we' });
  other.frontier.grants.push(leaseOf(site, ['/']));
  await other.frontier.ended(1);
  assert.equal(other.frontier.attemptAt('/')?.outcome, Outcome.FETCHED);
});

test('Retry-After is read, as seconds and as a date', async () => {
  await using site = await startRawSite('127.64.12.7', (request, socket) => {
    const fields =
      request.path === '/date'
        ? ['Date: Mon, 30 Nov 2026 10:00:00 GMT', 'Retry-After: Mon, 30 Nov 2026 10:02:00 GMT']
        : ['Retry-After: 30'];
    answer(request, socket, { status: '503 Busy', fields });
  });
  await using rig = await startFetchRig();
  rig.frontier.grants.push(leaseOf(site, ['/seconds']));
  await rig.frontier.ended(1);
  rig.frontier.grants.push(leaseOf(site, ['/date']));
  await rig.frontier.ended(2);
  assert.equal(rig.frontier.attemptAt('/seconds')?.retryAfterS, 30);
  assert.equal(rig.frontier.attemptAt('/date')?.retryAfterS, 120);
});

test('M6: the first bad answer ends the lease, and the rest of its URLs stay untouched', async () => {
  for (const status of ['429 Slow', '503 Busy', '403 No', '451 No', '500 Broken']) {
    await using site = await startRawSite('127.64.12.8', (request, socket) =>
      answer(request, socket, request.path === '/2' ? { status } : {}),
    );
    await using rig = await startFetchRig();
    rig.frontier.grants.push(leaseOf(site, ['/1', '/2', '/3']));
    await rig.frontier.ended(1);
    assert.deepEqual(
      site.requests.map(({ path }) => path),
      ['/1', '/2'],
    );
    assert.equal(rig.frontier.attemptAt('/3'), undefined);
  }
});

test('a page that is not there speaks of itself and the lease goes on', async () => {
  await using site = await startRawSite('127.64.12.9', (request, socket) =>
    answer(request, socket, request.path === '/1' ? { status: '404 Gone' } : {}),
  );
  await using rig = await startFetchRig();
  rig.frontier.grants.push(leaseOf(site, ['/1', '/2']));
  await rig.frontier.ended(1);
  assert.equal(rig.frontier.attemptAt('/2')?.outcome, Outcome.FETCHED);
});
