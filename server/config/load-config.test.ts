import { isInBlocks } from '@decorum/policy/address/address-blocks.ts';
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';

import { ConfigError } from './config-error.ts';
import { ROLES } from './config.ts';
import { loadConfig } from './load-config.ts';

const PRODUCTION = {
  NODE_ENV: 'production',
  DECORUM_CONTACT: 'crawler@decorum-crawl.net',
  DECORUM_PUBLIC_URL: 'https://crawler.decorum-crawl.net/',
};

/** The variables that are refused; empty when the environment is taken. */
function refused(env: Record<string, string>): string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    for (const { variable, remedy } of error.problems) {
      assert.ok(error.message.includes(variable) && error.message.includes(remedy));
    }
    return error.problems.map(({ variable }) => variable);
  }
}

test('an empty environment is the embedded platform on loopback, with a placeholder identity and a warning', () => {
  const config = loadConfig({});
  assert.deepEqual(config.grpcAddress, { host: '127.0.0.1', port: 7070 });
  assert.deepEqual(config.httpAddress, { host: '127.0.0.1', port: 7080 });
  assert.deepEqual([...config.roles], [...ROLES]);
  assert.equal(config.databaseUrl, undefined);
  assert.deepEqual(config.nats, { kind: 'embedded' });
  assert.deepEqual(config.archive, { kind: 'directory', path: resolve('.data/archive') });
  assert.deepEqual([config.leaseMs, config.lockDelayMs, config.fetchTotalMs], [60_000, 60_000, 30_000]);
  assert.equal(config.identity.isPlaceholder, true);
  assert.equal(config.identity.userAgent, 'decorumbot/0.1 (+http://127.0.0.1:7080/bot)');
  assert.equal(config.warnings.length, 1);
  assert.match(config.warnings[0] ?? '', /DECORUM_CONTACT/);
});

test('an empty variable counts as unset', () => {
  assert.deepEqual(loadConfig({ DECORUM_GRPC_ADDRESS: ' ', DATABASE_URL: '' }), loadConfig({}));
});

test('a full environment is read', () => {
  const config = loadConfig({
    ...PRODUCTION,
    DATABASE_URL: 'postgresql://me:secret@db/x',
    NATS_URL: 'nats://a:4222, tls://b:4222',
    DECORUM_NATS_CREDS: '/etc/p.creds',
    DECORUM_NATS_SYS_CREDS: '/etc/s.creds',
    DECORUM_NATS_OPERATOR_SEED_FILE: '/etc/o.nk',
    DECORUM_NATS_ACCOUNT_SEED_FILE: '/etc/a.nk',
    DECORUM_ARCHIVE_URL: 's3://bucket/a/b/',
    DECORUM_ROLES: 'api,publish',
    DECORUM_GRPC_ADDRESS: '[::]:443',
    DECORUM_GRPC_TLS_CERT_FILE: '/etc/c.pem',
    DECORUM_GRPC_TLS_KEY_FILE: '/etc/k.pem',
    DECORUM_EGRESS_ADDRESSES: '192.0.2.7,2001:db8::/56',
    DECORUM_DNS_SERVERS: '192.0.2.53,[2001:db8::53]:5353',
    DECORUM_LEASE_MS: '30000',
    DECORUM_LOG_LEVEL: 'warn',
  });
  assert.deepEqual(config.nats, {
    kind: 'external',
    urls: ['nats://a:4222', 'tls://b:4222'],
    credsFile: '/etc/p.creds',
    sysCredsFile: '/etc/s.creds',
    operatorSeedFile: '/etc/o.nk',
    accountSeedFile: '/etc/a.nk',
  });
  assert.deepEqual(config.archive, { kind: 's3', bucket: 'bucket', prefix: 'a/b' });
  assert.deepEqual([...config.roles], ['api', 'publish']);
  assert.deepEqual(config.grpcAddress, { host: '::', port: 443 });
  assert.deepEqual(config.tls, { certFile: '/etc/c.pem', keyFile: '/etc/k.pem' });
  assert.deepEqual(config.identity.egressBlocks, ['192.0.2.7/32', '2001:db8::/56']);
  assert.equal(config.identity.publicUrl, 'https://crawler.decorum-crawl.net');
  assert.equal(config.identity.isPlaceholder, false);
  assert.deepEqual(config.warnings, []);
});

test('every problem is named at once, with its remedy and without secrets', () => {
  const env = {
    DATABASE_URL: 'mysql://me:s3cr3t@db/x',
    DECORUM_ROLES: 'api,cook',
    DECORUM_GRPC_ADDRESS: '7070',
    DECORUM_LEASE_MS: '60s',
    DECORUM_LOG_LEVEL: 'loud',
    DECORUM_DNS_SERVERS: 'dns.test',
  };
  assert.deepEqual(refused(env).sort(), Object.keys(env).sort());
  assert.throws(
    () => loadConfig(env),
    (error: Error) => !error.message.includes('s3cr3t'),
  );
});

const BAD: Record<string, readonly string[]> = {
  DECORUM_HTTP_ADDRESS: ['localhost', ':7080', '127.0.0.1:70800', '300.0.0.1:80', '[127.0.0.1]:80', '::1:80'],
  DECORUM_LEASE_MS: ['0', '-1', '1e6', '999', '600001', '60000.5'],
  DECORUM_LOCK_DELAY_MS: ['3600001', 'none'],
  DECORUM_ARCHIVE_URL: ['/var/x', 'file://host/x', 'file:///', 's3://', 's3://key@bucket/x', 'gs://b/x'],
  DECORUM_PUBLIC_URL: [
    'crawler.net',
    'ftp://crawler.net',
    'https://u:p@crawler.net',
    'https://crawler.net/?a',
  ],
  DECORUM_CONTACT: [
    'nobody',
    'a@b@c.net',
    'a b@crawl.net',
    'you@example.com',
    'x@shop.example',
    'me@localhost',
  ],
  DECORUM_EGRESS_ADDRESSES: ['192.0.2.0/33', 'crawler.net', '192.0.2.1/24/3', 'fe80::1%eth0'],
  DECORUM_ALLOW_ADDRESSES: ['127.0.0.0/8', '127.64.0.1', 'loopback'],
  DECORUM_NATS_CREDS: ['/etc/p.creds'],
  DECORUM_GRPC_TLS_CERT_FILE: ['/etc/c.pem'],
};

for (const [name, values] of Object.entries(BAD)) {
  for (const value of values) {
    test(`${name}=${value} is refused`, () => {
      const problems = refused({ [name]: value });
      assert.equal(problems.length, 1);
      assert.match(
        problems[0] ?? '',
        name === 'DECORUM_GRPC_TLS_CERT_FILE' ? /TLS_KEY_FILE/ : new RegExp(name),
      );
    });
  }
}

test('external NATS needs the four files that administer it', () => {
  assert.equal(refused({ NATS_URL: 'nats://a' }).length, 4);
});

test('addresses are exempt from the guard only outside production', () => {
  const DECORUM_ALLOW_ADDRESSES = '127.64.0.0/10';
  const config = loadConfig({ DECORUM_ALLOW_ADDRESSES });
  assert.equal(isInBlocks(config.allowAddresses, '127.64.0.9'), true);
  assert.equal(isInBlocks(config.allowAddresses, '127.0.0.1'), false);
  assert.equal(isInBlocks(loadConfig({}).allowAddresses, '127.64.0.9'), false);
  assert.deepEqual(refused({ ...PRODUCTION, DECORUM_ALLOW_ADDRESSES }), ['DECORUM_ALLOW_ADDRESSES']);
});

test('production refuses to crawl without a contact and a page that people can reach', () => {
  assert.deepEqual(refused({ NODE_ENV: 'production' }), ['DECORUM_CONTACT', 'DECORUM_PUBLIC_URL']);
  assert.deepEqual(refused(PRODUCTION), []);
});

test('a placeholder contact is taken in tests, where addresses are exempt, and never in production', () => {
  const DECORUM_CONTACT = 'you@example.com';
  const test = loadConfig({ DECORUM_CONTACT, DECORUM_ALLOW_ADDRESSES: '127.64.0.0/10' });
  assert.equal(test.identity.isPlaceholder, true);
  assert.deepEqual(refused({ ...PRODUCTION, DECORUM_CONTACT }), ['DECORUM_CONTACT']);
});

test('a fetch may not outlast its lease', () => {
  assert.deepEqual(refused({ DECORUM_LEASE_MS: '10000', DECORUM_FETCH_TOTAL_MS: '10001' }), [
    'DECORUM_FETCH_TOTAL_MS',
  ]);
  assert.deepEqual(refused({ DECORUM_LEASE_MS: '10000', DECORUM_FETCH_TOTAL_MS: '10000' }), []);
});

test('a lock delay under a third of the lease is refused in production and a warning elsewhere', () => {
  const times = { DECORUM_LEASE_MS: '60000', DECORUM_LOCK_DELAY_MS: '19999' };
  assert.deepEqual(refused({ ...PRODUCTION, ...times }), ['DECORUM_LOCK_DELAY_MS']);
  assert.ok(loadConfig(times).warnings.some((warning) => warning.startsWith('DECORUM_LOCK_DELAY_MS')));
  assert.deepEqual(refused({ ...PRODUCTION, ...times, DECORUM_LOCK_DELAY_MS: '20000' }), []);
});

test('the listeners need ports of their own, away from exempt addresses', () => {
  const same = { DECORUM_GRPC_ADDRESS: '127.0.0.1:80', DECORUM_HTTP_ADDRESS: '127.0.0.1:80' };
  assert.deepEqual(refused(same), ['DECORUM_HTTP_ADDRESS']);
  const any = { DECORUM_GRPC_ADDRESS: '127.0.0.1:0', DECORUM_HTTP_ADDRESS: '127.0.0.1:0' };
  assert.deepEqual(refused(any), []);
  const exposed = { DECORUM_GRPC_ADDRESS: '127.64.0.1:0', DECORUM_ALLOW_ADDRESSES: '127.64.0.0/10' };
  assert.deepEqual(refused(exposed), ['DECORUM_GRPC_ADDRESS']);
});

test('a listener that others can reach without TLS is a warning', () => {
  const { warnings } = loadConfig({ ...PRODUCTION, DECORUM_GRPC_ADDRESS: '0.0.0.0:7070' });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /^DECORUM_GRPC_ADDRESS .*TLS/);
});

test('a variable that no code reads is a warning, but not the SDK’s', () => {
  const { warnings } = loadConfig({
    ...PRODUCTION,
    DECORUM_GPRC_ADDRESS: 'x',
    DECORUM_URL: 'x',
    DECORUM_KEY: 'x',
  });
  assert.deepEqual(warnings, ['DECORUM_GPRC_ADDRESS is set, but no such setting exists.']);
});
