import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { SignalSource, Truncation } from '@decorum/proto/decorum/crawl/v1/capture_pb.ts';
import { Extraction } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import { Outcome } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import { RecordType, type StoredCapture } from '@decorum/proto/decorum/fetch/v1/attempt_pb.ts';
import { captureIdTimeMs } from '@decorum/policy/digest/capture-id.ts';
import { createDirectoryArchive } from '@decorum/server/archive/directory-archive.ts';
import type { SegmentWriter } from '@decorum/server/archive/segment-writer.ts';
import { toSegmentPath } from '@decorum/server/archive/segment-path.ts';
import { IDENTITY, leaseOf, startFetchRig, type FetchRig } from '../support/fetch/fetch-rig.ts';
import { answer, startRawSite } from '../support/fetch/raw-site.ts';

type Read = { fields: Map<string, string>; content: string };

/** Reads the records of a capture at the places that were reported, each a gzip member of its own. */
async function readCapture(rig: FetchRig, capture: StoredCapture): Promise<Read[]> {
  const file = await readFile(join(rig.archiveDir, toSegmentPath(capture.segmentId)));
  return capture.records.map(({ offset, length }) => {
    const record = gunzipSync(file.subarray(Number(offset), Number(offset + length))).toString('latin1');
    const headEnd = record.indexOf('\r\n\r\n');
    const lines = record.slice(0, headEnd).split('\r\n').slice(1);
    const fields = new Map(lines.map((line) => line.split(': ', 2) as [string, string]));
    return { fields, content: record.slice(headEnd + 4, -4) };
  });
}

async function captureOf(rig: FetchRig, path: string): Promise<StoredCapture> {
  await rig.frontier.until(() => rig.frontier.attemptAt(path) !== undefined);
  const capture = rig.frontier.attemptAt(path)?.capture;
  assert.ok(capture !== undefined, rig.frontier.attemptAt(path)?.detail);
  return capture;
}

test('what was on the wire lies in the archive where the report says it does', async () => {
  const body = '<p>body</p>'.repeat(50);
  const head =
    'HTTP/1.1 200 All  is\xe9 well\r\nServer: x\r\nX-A: 1\r\nx-a: 2\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n';
  await using site = await startRawSite('127.64.17.1', (_request, socket) => {
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    socket.write(Buffer.from(head.slice(0, 9), 'latin1'), () =>
      socket.write(Buffer.from(head.slice(9) + chunk, 'latin1')),
    );
  });
  await using rig = await startFetchRig();
  const before = Date.now();
  rig.frontier.grants.push(leaseOf(site, ['/page'], { item: { ledFromCaptureId: 'c0ffee' } }));
  const capture = await captureOf(rig, '/page');
  await rig.frontier.ended(1);
  const [request, response, metadata] = await readCapture(rig, capture);

  assert.deepEqual(
    capture.records.map(({ type }) => type),
    [RecordType.REQUEST, RecordType.RESPONSE, RecordType.METADATA],
  );
  assert.equal(request?.content, site.requests[0]?.head, 'the request as the site received it');
  assert.equal(response?.content, head.replace('Transfer-Encoding', 'X-Crawler-Transfer-Encoding') + body);
  assert.equal(response.fields.get('WARC-Target-URI'), `http://a.test:${site.port}/page`);
  assert.equal(response.fields.get('WARC-IP-Address'), '127.64.17.1');
  assert.equal(response.fields.get('WARC-Record-ID'), `<urn:uuid:${capture.captureId}>`);
  assert.match(
    metadata?.content ?? '',
    /policyVersion: 7\r\n.*residency: eu\r\n.*ledFromCaptureId: c0ffee\r\n/s,
  );

  assert.equal(capture.statusCode, 200);
  assert.equal(capture.contentType, 'text/html');
  assert.deepEqual(
    capture.headers.map(({ name, value }) => `${name}: ${value}`),
    ['Server: x', 'X-A: 1', 'x-a: 2', 'Content-Type: text/html', 'X-Crawler-Transfer-Encoding: chunked'],
  );
  assert.equal(capture.payloadSha256, createHash('sha256').update(body).digest('hex'));
  assert.match(capture.payloadSha1, /^sha1:[A-Z2-7]{32}$/);
  assert.equal(capture.bodyBytes, BigInt(body.length));
  assert.equal(capture.truncation, Truncation.UNSPECIFIED);
  assert.equal(capture.userAgent, IDENTITY.userAgent);
  const timeMs = captureIdTimeMs(capture.captureId) ?? 0;
  assert.ok(timeMs >= before && timeMs <= Date.now());
  assert.equal(response.fields.get('WARC-Date'), new Date(timeMs).toISOString());
});

test('a body keeps its content coding, and is durable before it is reported', async () => {
  const page = gzipSync('<p>compressed</p>'.repeat(100));
  await using site = await startRawSite('127.64.17.2', (request, socket) =>
    answer(request, socket, { fields: ['Content-Type: text/html', 'Content-Encoding: gzip'], body: page }),
  );
  await using rig = await startFetchRig();
  rig.frontier.grants.push(leaseOf(site, ['/gz']));
  const capture = await captureOf(rig, '/gz');
  // The report is here; the writer has not been closed.
  const [, response] = await readCapture(rig, capture);
  assert.ok(response?.content.endsWith(page.toString('latin1')));
  assert.equal(capture.bodyBytes, BigInt(page.length));
});

test('D2: nothing is reported before its bytes are durable', async () => {
  await using site = await startRawSite('127.64.17.7', (request, socket) => answer(request, socket));
  const disk = Promise.withResolvers<undefined>();
  let syncs = 0;
  const rig = await startFetchRig({
    archive: {
      openSegment: async (segment) => {
        const writer = await createDirectoryArchive(rig.archiveDir).openSegment(segment);
        const sync = async (): Promise<void> => {
          syncs += 1;
          await disk.promise;
          await writer.sync();
        };
        return Object.assign(Object.create(writer) as SegmentWriter, { sync });
      },
    },
  });
  await using stack = new AsyncDisposableStack();
  stack.use(rig);
  rig.frontier.grants.push(leaseOf(site, ['/page']));
  await rig.frontier.until(() => syncs === 1);
  await delay(150);
  assert.equal(rig.frontier.completes.length, 0);
  disk.resolve(undefined);
  assert.equal((await captureOf(rig, '/page')).statusCode, 200);
});

test('a 304 and an unchanged page are revisits of the capture that has the body', async () => {
  const page = '<p>the same</p>';
  await using site = await startRawSite('127.64.17.3', (request, socket) => {
    if (request.path === '/changed') answer(request, socket, { body: 'new' });
    else if (request.head.includes('If-None-Match: W/"é1"\r\n') && request.path === '/etag') {
      socket.write('HTTP/1.1 304 Not Modified\r\nETag: W/"é1"\r\n\r\n');
    } else answer(request, socket, { body: page });
  });
  await using rig = await startFetchRig();
  rig.frontier.grants.push(leaseOf(site, ['/first'], { leaseToken: 'first' }));
  const first = await captureOf(rig, '/first');
  const validators = {
    captureId: first.captureId,
    etag: 'W/"é1"',
    lastModified: 'Mon, 30 Nov 2026 10:00:00 GMT',
    payloadSha256: first.payloadSha256,
  };
  rig.frontier.grants.push(leaseOf(site, ['/etag', '/same', '/changed'], { item: { validators } }));
  await rig.frontier.ended(2);

  const asked = site.requests.find(({ path }) => path === '/etag')?.head ?? '';
  assert.match(asked, /^If-Modified-Since: Mon, 30 Nov 2026 10:00:00 GMT\r$/m);
  assert.equal(rig.frontier.attemptAt('/etag')?.outcome, Outcome.NOT_MODIFIED);
  assert.equal(rig.frontier.attemptAt('/same')?.outcome, Outcome.FETCHED);
  const profiles = { '/etag': 'server-not-modified', '/same': 'identical-payload-digest' };
  for (const [path, profile] of Object.entries(profiles)) {
    const capture = await captureOf(rig, path);
    assert.equal(capture.revisitOfCaptureId, first.captureId);
    assert.equal(capture.payloadSha256, first.payloadSha256);
    assert.equal(capture.records[1]?.type, RecordType.REVISIT);
    const [, revisit] = await readCapture(rig, capture);
    assert.equal(revisit?.fields.get('WARC-Profile'), `http://netpreserve.org/warc/1.1/revisit/${profile}`);
    assert.equal(revisit.fields.get('WARC-Refers-To'), `<urn:uuid:${first.captureId}>`);
    const capturedAtMs = captureIdTimeMs(first.captureId) ?? 0;
    assert.equal(revisit.fields.get('WARC-Refers-To-Date'), new Date(capturedAtMs).toISOString());
  }
  const changed = await captureOf(rig, '/changed');
  assert.equal(changed.revisitOfCaptureId, '');
  assert.equal(changed.records[1]?.type, RecordType.RESPONSE);
});

test('a 304 that nobody asked for is a page, and validators that say too little ask for nothing', async () => {
  await using site = await startRawSite(
    '127.64.17.4',
    (_request, socket) => void socket.write('HTTP/1.1 304 No\r\n\r\n'),
  );
  await using rig = await startFetchRig();
  const validators = { captureId: '', etag: '"x"', lastModified: '', payloadSha256: '' };
  rig.frontier.grants.push(leaseOf(site, ['/304'], { item: { validators } }));
  const capture = await captureOf(rig, '/304');
  assert.doesNotMatch(site.requests[0]?.head ?? '', /If-/);
  assert.equal(rig.frontier.attemptAt('/304')?.outcome, Outcome.FETCHED);
  assert.equal(capture.revisitOfCaptureId, '');
});

test('what a page says about its use is reported as found: fields line by line, then the head', async () => {
  const page =
    '<html><head><meta name=robots content="noindex, noai"><meta name=DecorumBot content=none>' +
    '<meta name=decorumbot-ai-train content=noindex><meta name=tdm-reservation content=1></head>' +
    '<body><meta name=robots content=all></body>';
  await using site = await startRawSite('127.64.17.5', (request, socket) =>
    answer(request, socket, {
      body: request.path === '/gz' ? gzipSync(page) : page,
      fields: [
        request.path === '/plain' ? 'Content-Type: text/plain' : 'Content-Type: text/html; charset=utf-8',
        'X-Robots-Tag: otherbot: noindex, nofollow',
        'x-robots-tag: noai',
        'Content-Usage: train-ai=n',
        'Content-Signal: search=yes',
        'TDM-Reservation: 1',
        'tdm-policy: https://a.test/policy',
        ...(request.path === '/gz' ? ['Content-Encoding: gzip'] : []),
      ],
    }),
  );
  await using rig = await startFetchRig();
  rig.frontier.grants.push(leaseOf(site, ['/page', '/gz', '/plain']));
  const fromFields = [
    ['X-Robots-Tag', 'otherbot: noindex, nofollow'],
    ['x-robots-tag', 'noai'],
    ['Content-Usage', 'train-ai=n'],
    ['Content-Signal', 'search=yes'],
    ['TDM-Reservation', '1'],
    ['tdm-policy', 'https://a.test/policy'],
  ];
  const fromHead = [
    ['meta robots', 'noindex, noai'],
    ['meta decorumbot', 'none'],
    ['meta decorumbot-ai-train', 'noindex'],
    ['meta tdm-reservation', '1'],
  ];
  for (const path of ['/page', '/gz']) {
    const { signals } = await captureOf(rig, path);
    assert.deepEqual(
      signals.map(({ name, value }) => [name, value]),
      [...fromFields, ...fromHead],
    );
    assert.equal(signals[0]?.source, SignalSource.RESPONSE_HEADER);
    assert.equal(signals.at(-1)?.source, SignalSource.HTML_META);
  }
  const { signals } = await captureOf(rig, '/plain');
  assert.equal(signals.length, fromFields.length);
});

test('what a request asks to be taken out of a page is, and what cannot be says why', async () => {
  const page = '<html lang=de><title>T</title><body><a href="/x">link</a> text';
  await using site = await startRawSite('127.64.17.6', (request, socket) =>
    answer(request, socket, {
      body: request.path === '/large' ? page + ' '.repeat(600_000) : page,
      fields: [request.path === '/plain' ? 'Content-Type: text/plain' : 'Content-Type: text/html'],
    }),
  );
  await using rig = await startFetchRig();
  const extract = [Extraction.LINKS, Extraction.TEXT, Extraction.TITLE, Extraction.LANGUAGE];
  rig.frontier.grants.push(leaseOf(site, ['/page', '/plain', '/large'], { item: { extract } }));
  rig.frontier.grants.push(leaseOf(site, ['/none'], { host: 'b.test' }));
  await rig.frontier.ended(2);
  const document = rig.frontier.attemptAt('/page')?.document;
  assert.deepEqual(document?.links, [`http://a.test:${site.port}/x`]);
  assert.equal(document.text, 'link text');
  assert.equal(document.title, 'T');
  assert.equal(document.language, 'de');
  assert.equal(rig.frontier.attemptAt('/plain')?.document?.skipped, 'not_html');
  assert.equal(rig.frontier.attemptAt('/large')?.document?.skipped, 'too_large');
  assert.equal(rig.frontier.attemptAt('/none')?.document, undefined);
});
