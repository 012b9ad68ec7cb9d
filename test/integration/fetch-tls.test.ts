import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Outcome } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import { leaseOf, startFetchRig } from '../support/fetch/fetch-rig.ts';
import { answer, startRawSite } from '../support/fetch/raw-site.ts';
import {
  SECURE_TEST_CERTIFICATE,
  SECURE_TEST_KEY,
  TEST_AUTHORITY,
} from '../support/fetch/test-certificate.ts';

const KEY_PAIR = { key: SECURE_TEST_KEY, cert: SECURE_TEST_CERTIFICATE };
const HTTPS = { scheme: 'https', host: 'secure.test' } as const;

test('over TLS the name stays the site’s: in SNI, in Host and in the certificate check', async () => {
  await using site = await startRawSite(
    '127.64.16.1',
    (request, socket) => answer(request, socket),
    KEY_PAIR,
  );
  await using rig = await startFetchRig({ trustedCertificates: [TEST_AUTHORITY] });
  rig.frontier.grants.push(leaseOf(site, ['/1', '/2'], HTTPS));
  await rig.frontier.ended(1);
  assert.deepEqual(
    rig.frontier.attempts().map(({ outcome }) => outcome),
    [Outcome.FETCHED, Outcome.FETCHED],
  );
  assert.equal(site.connections.length, 1);
  for (const request of site.requests) {
    assert.equal(request.sni, 'secure.test');
    assert.match(request.head, new RegExp(`^host: secure\\.test:${site.port}\\r$`, 'm'));
  }
});

test('a certificate for another name, or by nobody we trust, is no connection', async () => {
  await using site = await startRawSite(
    '127.64.16.2',
    (request, socket) => answer(request, socket),
    KEY_PAIR,
  );
  await using trusting = await startFetchRig({ trustedCertificates: [TEST_AUTHORITY] });
  trusting.frontier.grants.push(leaseOf(site, ['/other'], { ...HTTPS, host: 'other.test' }));
  await trusting.frontier.ended(1);
  assert.equal(trusting.frontier.attemptAt('/other')?.outcome, Outcome.TLS_FAILED);
  assert.match(trusting.frontier.attemptAt('/other')?.detail ?? '', /ALTNAME_INVALID/);

  await using strict = await startFetchRig();
  strict.frontier.grants.push(leaseOf(site, ['/untrusted'], HTTPS));
  await strict.frontier.ended(1);
  assert.equal(strict.frontier.attemptAt('/untrusted')?.outcome, Outcome.TLS_FAILED);
  assert.equal(site.requests.length, 0, 'nothing was said to a site that could not prove its name');
});

test('a site that speaks no TLS is a TLS failure', async () => {
  await using site = await startRawSite('127.64.16.3', (_request, socket) => void socket.destroy());
  await using rig = await startFetchRig({ limits: { connectMs: 300 } });
  rig.frontier.grants.push(leaseOf(site, ['/plain'], HTTPS));
  await rig.frontier.ended(1);
  assert.equal(rig.frontier.attemptAt('/plain')?.outcome, Outcome.TLS_FAILED);
});
