import * as grpc from '@grpc/grpc-js';
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { callUnary, grpcClient, KEYS, startTestApi } from './api-server.ts';

// A key pair for 127.0.0.1 that protects nothing; valid for a hundred years.
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgD8YH8WdPMCdm8M/V
yWCGsyWFJ3HIkm7rT6OF0qCN+MOhRANCAASGOIsYrJkjchlN6rQXA1sIwDJuU1op
Mjd3kbe4ovVqDzuqCR6NvVH1VFEwI0aUAYKsgIAnGCosy57cILoEZRjD
-----END PRIVATE KEY-----
`;
const CERT = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUWkmMdHYQC5HdzZ853WitgsLHNHgwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEzMDIyMjc0OFoYDzIxMjYxMTA2
MjIyNzQ4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASGOIsYrJkjchlN6rQXA1sIwDJuU1opMjd3kbe4ovVqDzuqCR6NvVH1
VFEwI0aUAYKsgIAnGCosy57cILoEZRjDo28wbTAdBgNVHQ4EFgQUiM/0k6d0u7XG
jTIjVDOGUXR26TAwHwYDVR0jBBgwFoAUiM/0k6d0u7XGjTIjVDOGUXR26TAwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSAAwRQIhAPaV8zQzd2bWTAKiGERX8vUlBFzCkjsDBTDGqeOwxbmCAiBD
dgodfBWunMrr+j/6HeqgIehuD3wqH6RY80sdVh8s5g==
-----END CERTIFICATE-----
`;

async function startTlsApi(limits = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'decorum-tls-'));
  const env = {
    DECORUM_GRPC_TLS_CERT_FILE: join(dir, 'cert.pem'),
    DECORUM_GRPC_TLS_KEY_FILE: join(dir, 'key.pem'),
  };
  await writeFile(env.DECORUM_GRPC_TLS_CERT_FILE, CERT);
  await writeFile(env.DECORUM_GRPC_TLS_KEY_FILE, KEY);
  const api = await startTestApi({ env, limits });
  await rm(dir, { recursive: true });
  return api;
}

test('with a key pair gRPC is served over TLS, and over nothing else', async () => {
  await using api = await startTlsApi();
  using client = grpcClient(
    api.grpcAddress,
    undefined,
    undefined,
    grpc.credentials.createSsl(Buffer.from(CERT)),
    { 'grpc.ssl_target_name_override': 'localhost' },
  );
  const { purposes } = await callUnary(client, 'listPurposes', {}, { key: KEYS.operator });
  assert.equal((purposes as unknown[]).length, 1);
  using plain = grpcClient(api.grpcAddress);
  await assert.rejects(callUnary(plain, 'listPurposes', {}, { key: KEYS.operator }), { code: 14 });
});

test('a TLS handshake that is not finished is cut off', async () => {
  await using api = await startTlsApi({ headersMs: 100 });
  const [host, port] = api.grpcAddress.split(':');
  const socket = connect({ host: host ?? '', port: Number(port) });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('close', resolve));
});

test('a key pair that cannot be read stops the start', async () => {
  const env = {
    DECORUM_GRPC_TLS_CERT_FILE: '/nonexistent/c.pem',
    DECORUM_GRPC_TLS_KEY_FILE: '/nonexistent/k.pem',
  };
  await assert.rejects(startTestApi({ env }), /DECORUM_GRPC_TLS_CERT_FILE/);
});
