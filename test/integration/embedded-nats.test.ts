import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedNats, startEmbeddedNats } from '@decorum/server/embedded/start-embedded-nats.ts';
import { accountClaims } from '@decorum/server/results/nats/account-claims.ts';
import { activationClaims } from '@decorum/server/results/nats/activation-claims.ts';
import { connectPlatform } from '@decorum/server/results/nats/connect-platform.ts';
import { createTenantAccount } from '@decorum/server/results/nats/create-tenant-account.ts';
import { createTenantUserJwt } from '@decorum/server/results/nats/create-tenant-user-jwt.ts';
import { encodeJwt } from '@decorum/server/results/nats/encode-jwt.ts';
import { pushAccount } from '@decorum/server/results/nats/push-account.ts';
import { resultStreamName } from '@decorum/server/results/nats/result-stream-name.ts';
import {
  AckPolicy,
  DeliverPolicy,
  jetstream,
  jetstreamManager,
  type JetStreamManager,
} from '@nats-io/jetstream';
import { createAccount, createUser, fromSeed, type KeyPair } from '@nats-io/nkeys';
import { connect, jwtAuthenticator, type NatsConnection } from '@nats-io/transport-node';
import { listProcesses } from '../support/embedded/list-processes.ts';

/* One server for the file; tenants `a` and `b`, each with one stream of ten messages and the durable consumer `group`. */

const streamOf = (tenant: string): string =>
  resultStreamName({ tenant, lane: 'bulk', cell: 0, generation: 1 });
const STREAM_A = streamOf('a');
const STREAM_B = streamOf('b');
const MESSAGES = 10;

let dataDir = '';
let server: EmbeddedNats;
let platform: NatsConnection;
let system: NatsConnection;
let manager: JetStreamManager;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'decorum-nats-'));
  server = await startEmbeddedNats({ dataDir, searchPath: process.env['PATH'] ?? '' });
  await open();
  for (const tenant of ['a', 'b']) {
    const name = streamOf(tenant);
    await manager.streams.add({ name, subjects: [name] });
    await manager.consumers.add(name, { durable_name: 'group', ack_policy: AckPolicy.Explicit });
    for (let n = 1; n <= MESSAGES; n++) await jetstream(platform).publish(name, `${tenant}${n}`);
    await createTenantAccount(accountDeps(), tenant, [name]);
  }
});
after(async () => {
  await close();
  await server[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

async function open(): Promise<void> {
  platform = await connectPlatform({ url: server.url, creds: server.platformCreds });
  system = await connectPlatform({ url: server.url, creds: server.systemCreds });
  manager = await jetstreamManager(platform);
}

async function close(): Promise<void> {
  await platform.close();
  await system.close();
}

function accountDeps() {
  const { operator: operatorSeed, platform: platformSeed } = server.seeds;
  return { system, operatorSeed, platformSeed, nowMs: Date.now };
}

async function connectTenant(tenant: string, lifetimeMs?: number): Promise<NatsConnection> {
  const user = createUser();
  const jwt = createTenantUserJwt(server.seeds.operator, {
    tenant,
    publicKey: user.getPublicKey(),
    nowMs: Date.now(),
    ...(lifetimeMs === undefined ? {} : { lifetimeMs }),
  });
  return connect({
    servers: server.url,
    authenticator: jwtAuthenticator(jwt ?? assert.fail('no JWT'), user.getSeed()),
    maxReconnectAttempts: 0,
  });
}

async function consume(tenant: NatsConnection, stream: string, count: number): Promise<string[]> {
  const consumer = await jetstream(tenant, { apiPrefix: 'decorum.API' }).consumers.get(stream, 'group');
  const got: string[] = [];
  if (count === 0) return got;
  for await (const message of await consumer.consume()) {
    got.push(message.string());
    assert.ok(await message.ackAck());
    if (got.length === count) break;
  }
  return got;
}

test('the server is one of 2.10 or newer, on 127.0.0.1, and not run by root', async () => {
  const [major = 0, minor = 0] = server.version.split('.').map(Number);
  assert.ok(major > 2 || minor >= 10, server.version);
  assert.match(server.url, /^nats:\/\/127\.0\.0\.1:\d+$/);
  const found = (await listProcesses(dataDir)).find(({ command }) => command.includes('nats-server.conf'));
  assert.notEqual(found?.uid, process.getuid?.() === 0 ? 0 : undefined);
});

test('nobody signs in without a JWT of this operator', async () => {
  await assert.rejects(connect({ servers: server.url, maxReconnectAttempts: 0 }), /Authorization/);
  const [account, user] = [createAccount(), createUser()];
  const jwt = userJwt(user, account);
  await assert.rejects(
    connect({
      servers: server.url,
      authenticator: jwtAuthenticator(jwt, user.getSeed()),
      maxReconnectAttempts: 0,
    }),
    /Authorization/,
  );
});

test('keys and credentials are for our eyes only, and the configuration holds none of them', async () => {
  const keys = join(dataDir, 'nats/keys');
  assert.equal((await stat(keys)).mode & 0o777, 0o700);
  for (const name of await readdir(keys))
    assert.equal((await stat(join(keys, name))).mode & 0o777, 0o600, name);
  const config = await readFile(join(dataDir, 'nats/nats-server.conf'), 'utf8');
  for (const seed of Object.values(server.seeds)) assert.ok(!config.includes(seed));
  assert.equal(await readFile(server.files.seeds.operator, 'utf8'), `${server.seeds.operator}\n`);
  assert.equal(await readFile(server.files.platformCreds, 'utf8'), server.platformCreds);
});

test('a tenant consumes and acknowledges its own stream', async () => {
  const a = await connectTenant('a');
  const expected = Array.from({ length: MESSAGES }, (_, n) => `a${n + 1}`);
  assert.deepEqual(await consume(a, STREAM_A, MESSAGES), expected);
  const { ack_floor: floor, num_ack_pending: pending } = await manager.consumers.info(STREAM_A, 'group');
  assert.deepEqual([floor.stream_seq, pending], [MESSAGES, 0]);
  await a.close();
});

test('a tenant sees no stream, consumer or JetStream call but its own', async () => {
  const a = await connectTenant('a');
  await assert.rejects(consume(a, STREAM_B, 1));
  const calls = [
    `decorum.API.CONSUMER.INFO.${STREAM_B}.group`,
    `decorum.API.CONSUMER.MSG.NEXT.${STREAM_B}.group`,
    `decorum.API.STREAM.INFO.${STREAM_A}`,
    `decorum.API.STREAM.NAMES`,
    `decorum.API.CONSUMER.CREATE.${STREAM_A}`,
    `decorum.API.CONSUMER.DELETE.${STREAM_A}.group`,
    `$JS.ACK.${STREAM_B}.group.1.1.1.1.0`,
  ];
  for (const call of calls) {
    await assert.rejects(a.request(call, '', { timeout: 300 }), /no responders/, call);
  }
  for (const call of [
    `$JS.API.CONSUMER.INFO.${STREAM_A}.group`,
    '$JS.API.INFO',
    '$SYS.REQ.SERVER.PING',
    STREAM_A,
  ]) {
    await assert.rejects(a.request(call, '', { timeout: 300 }), /permission|violation/i, call);
  }
  await a.close();
});

test("a tenant's tricks with inboxes and reply subjects reach nobody else", async () => {
  const [a, b] = [await connectTenant('a'), await connectTenant('b')];
  const heard: string[] = [];
  a.subscribe('_INBOX.>', { callback: (_, message) => void heard.push(message.string()) });
  await a.flush();

  // B's deliveries come to B's inboxes; A listens on every inbox there is.
  const expected = Array.from({ length: MESSAGES }, (_, n) => `b${n + 1}`);
  assert.deepEqual(await consume(b, STREAM_B, MESSAGES), expected);

  // A asks for messages of its own to be sent where B, or PLATFORM, would take them for something else.
  await manager.consumers.add(STREAM_A, {
    durable_name: 'tricks',
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.New,
  });
  for (const text of ['a11', 'a12', 'a13']) await jetstream(platform).publish(STREAM_A, text);
  const inB: string[] = [];
  b.subscribe('_INBOX.>', { callback: (_, message) => void inB.push(message.string()) });
  await b.flush();
  const lastB = (await manager.streams.info(STREAM_B)).state.last_seq;
  for (const reply of [STREAM_B, '_INBOX.b.1', `$JS.API.STREAM.DELETE.${STREAM_B}`]) {
    a.publish(`decorum.API.CONSUMER.MSG.NEXT.${STREAM_A}.tricks`, '{"batch":1,"expires":200000000}', {
      reply,
    });
  }
  a.publish(`$JS.ACK.${STREAM_B}.group.1.1.1.1.0`, '-NAK');
  await a.flush();
  const isTold = (): boolean => heard.some((text) => text !== '');
  for (let look = 0; !isTold() && look < 500; look++) await sleep(20);
  // Time for what should not come.
  await sleep(300);
  await b.flush();
  assert.equal((await manager.streams.info(STREAM_B)).state.last_seq, lastB);
  assert.deepEqual(inB, []);
  // What was sent to an inbox arrives in the account of who asked (an empty one is the server's word that a pull has ended).
  const told = heard.filter((text) => text !== '');
  assert.equal(told.length, 1);
  assert.match(told[0] ?? '', /^a1[123]$/);
  const { ack_floor: floor } = await manager.consumers.info(STREAM_B, 'group');
  assert.equal(floor.stream_seq, MESSAGES);
  await a.close();
  await b.close();
});

test('an account cannot take what its activation token does not name', async () => {
  const subject = `$JS.API.CONSUMER.INFO.${STREAM_B}.*`;
  const ofPlatform = (account: KeyPair, covered: string): string =>
    encodeJwt(
      { subject: account.getPublicKey(), name: 'x', issuedAtMs: Date.now(), nats: activationClaims(covered) },
      fromSeed(Buffer.from(server.seeds.platform)),
    );
  const tokens: Record<string, (account: KeyPair) => string> = {
    'for another stream': (account) => ofPlatform(account, `$JS.API.CONSUMER.INFO.${STREAM_A}.*`),
    'of another account': () => ofPlatform(createAccount(), subject),
    'signed by itself': (account) =>
      encodeJwt(
        { subject: account.getPublicKey(), name: 'x', issuedAtMs: 0, nats: activationClaims(subject) },
        account,
      ),
  };
  for (const [what, token] of Object.entries(tokens)) {
    const account = createAccount();
    await assert.rejects(pushAccount(system, accountJwt(account, subject, token(account))), /refused/, what);
  }
  // Without a token the account is accepted, and its import is dead; with the right one it works: the harness can tell.
  for (const [token, works] of [
    [() => '', false],
    [(account: KeyPair) => ofPlatform(account, subject), true],
  ] as const) {
    const [account, user] = [createAccount(), createUser()];
    await pushAccount(system, accountJwt(account, subject, token(account)));
    const client = await connect({
      servers: server.url,
      authenticator: jwtAuthenticator(userJwt(user, account), user.getSeed()),
      maxReconnectAttempts: 0,
    });
    const asked = client.request(`x.${STREAM_B}.group`, '', { timeout: 1000 });
    if (works) assert.match((await asked).string(), /consumer_info_response/);
    else await assert.rejects(asked, /no responders/);
    await client.close();
  }
});

test('a JWT is cut off when it ends, and 15 minutes are the most', async () => {
  const user = createUser();
  const jwt = createTenantUserJwt(server.seeds.operator, {
    tenant: 'a',
    publicKey: user.getPublicKey(),
    nowMs: Date.now(),
    lifetimeMs: 2000,
  });
  const signIn = (): Promise<NatsConnection> =>
    connect({
      servers: server.url,
      authenticator: jwtAuthenticator(jwt ?? '', user.getSeed()),
      reconnect: false,
    });
  const a = await signIn();
  await consume(a, STREAM_A, 0);
  assert.ok((await a.closed()) !== undefined, 'the server ended the connection');
  // A JWT still opens within the second in which it ends (RFC 7519 counts whole ones), only to be cut off again.
  await sleep(1000);
  await assert.rejects(signIn(), /Authorization|expired/i);
  const claims = (lifetimeMs: number): { exp: number } => {
    const publicKey = createUser().getPublicKey();
    const long = createTenantUserJwt(server.seeds.operator, { tenant: 'a', publicKey, nowMs: 0, lifetimeMs });
    return JSON.parse(Buffer.from(long?.split('.')[1] ?? '', 'base64url').toString()) as { exp: number };
  };
  assert.equal(claims(24 * 3_600_000).exp, 900);
});

test('a client key that is no public user key gets no JWT', () => {
  for (const publicKey of [
    '',
    'U',
    createAccount().getPublicKey(),
    Buffer.from(createUser().getSeed()).toString(),
  ]) {
    const jwt = createTenantUserJwt(server.seeds.operator, { tenant: 'a', publicKey, nowMs: 0 });
    assert.equal(jwt, undefined);
  }
});

test('a new list of streams holds at once, for connected clients too', async () => {
  const a = await connectTenant('a');
  const next = resultStreamName({ tenant: 'a', lane: 'bulk', cell: 0, generation: 2 });
  await manager.streams.add({ name: next, subjects: [next] });
  await manager.consumers.add(next, { durable_name: 'group', ack_policy: AckPolicy.Explicit });
  await assert.rejects(consume(a, next, 0));
  await createTenantAccount(accountDeps(), 'a', [next]);
  assert.deepEqual(await consume(a, next, 0), []);
  await assert.rejects(consume(a, STREAM_A, 0));
  await a.close();
});

test('a second platform on the same data is refused', async () => {
  await assert.rejects(startEmbeddedNats({ dataDir }), { reason: 'DATA_DIR_IN_USE', pid: process.pid });
});

test('a restart keeps keys, port, accounts and streams; a killed server is no hindrance', async () => {
  const { url, seeds } = server;
  await close();
  const pid = Number(await readFile(join(dataDir, 'nats/state/nats-server.pid'), 'utf8'));
  process.kill(pid, 'SIGKILL');
  assert.deepEqual(await server.ended, { code: null, signal: 'SIGKILL' });
  await server[Symbol.asyncDispose]();
  server = await startEmbeddedNats({ dataDir, searchPath: process.env['PATH'] ?? '' });
  assert.deepEqual([server.url, server.seeds], [url, seeds]);
  await open();
  assert.equal((await manager.streams.info(STREAM_B)).state.last_seq, MESSAGES);
  const b = await connectTenant('b');
  assert.deepEqual(await consume(b, STREAM_B, 0), []);
  await b.close();
});

function accountJwt(account: KeyPair, subject: string, activationToken: string): string {
  const imports = [
    {
      name: 'x',
      subject,
      localSubject: `x.${STREAM_B}.*`,
      account: fromSeed(Buffer.from(server.seeds.platform)).getPublicKey(),
      activationToken,
    },
  ];
  const nats = accountClaims({
    jetstream: false,
    exports: [],
    imports,
    connectionsMax: 10,
    subscriptionsMax: 10,
    payloadBytesMax: 1024,
  });
  const claims = { subject: account.getPublicKey(), name: 'x', issuedAtMs: Date.now(), nats };
  return encodeJwt(claims, fromSeed(Buffer.from(server.seeds.operator)));
}

function userJwt(user: KeyPair, account: KeyPair): string {
  const nats = { type: 'user', version: 2, pub: {}, sub: {}, subs: -1, data: -1, payload: -1 };
  return encodeJwt({ subject: user.getPublicKey(), name: 'x', issuedAtMs: Date.now(), nats }, account);
}
