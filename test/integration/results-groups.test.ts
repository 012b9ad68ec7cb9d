import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fromBinary } from '@bufbuild/protobuf';
import { ResultNoticeSchema } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import type { Broker } from '@decorum/server/results/broker.ts';
import { deleteGroup } from '@decorum/server/results/delete-group.ts';
import { ensureTenantStreams, type TenantStreamDeps } from '@decorum/server/results/ensure-tenant-streams.ts';
import { listGroups } from '@decorum/server/results/list-groups.ts';
import { GROUPS_MAX, openResults, type OpenedResults } from '@decorum/server/results/open-results.ts';
import type { Publisher } from '@decorum/server/results/start-publisher.ts';
import { DomainError } from '@decorum/server/runtime/domain-error.ts';
import { streamNameOf } from '@decorum/server/results/stream-name.ts';
import { jetstream } from '@nats-io/jetstream';
import { createAccount, createUser, type KeyPair } from '@nats-io/nkeys';
import { connect, jwtAuthenticator } from '@nats-io/transport-node';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startTestNats, type TestNats } from '../support/nats.ts';
import {
  createMemoryLogger,
  createTestBroker,
  insertTenants,
  newResult,
  startTestPublisher,
  streamOf,
  writeResults,
} from '../support/results/fixtures.ts';

let database: TestDatabase;
let nats: TestNats;
let broker: Broker;
let publisher: Publisher;
let deps: TenantStreamDeps;

before(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startTestNats()]);
  broker = createTestBroker(nats);
  publisher = startTestPublisher(database, broker);
  deps = { pool: database.general, broker, logger: createMemoryLogger().logger, wallMs: Date.now };
});
after(async () => {
  await publisher[Symbol.asyncDispose]();
  await broker[Symbol.asyncDispose]();
  await Promise.all([database[Symbol.asyncDispose](), nats[Symbol.asyncDispose]()]);
});

async function open(
  tenantId: string,
  group: string,
  user: KeyPair,
  startNumber?: bigint,
): Promise<OpenedResults> {
  return openResults(deps, {
    tenantId,
    group,
    lane: 'bulk',
    userPublicKey: user.getPublicKey(),
    startNumber,
  });
}

/** Consumes as a tenant's client does, with nothing but what OpenResults answered and the key's seed. */
async function consume(opened: OpenedResults, user: KeyPair, count: number): Promise<bigint[]> {
  const connection = await connect({
    servers: [...opened.natsUrls],
    authenticator: jwtAuthenticator(opened.userJwt, user.getSeed()),
  });
  const numbers: bigint[] = [];
  try {
    const { consumers } = jetstream(connection, { apiPrefix: opened.apiPrefix });
    const consumer = await consumers.get(opened.stream, opened.consumer);
    for await (const message of await consumer.fetch({ max_messages: count, expires: 5_000 })) {
      numbers.push(fromBinary(ResultNoticeSchema, message.data).number);
      assert.ok(await message.ackAck());
    }
  } finally {
    await connection.close();
  }
  return numbers;
}

async function write(tenantId: string, count: number): Promise<void> {
  await writeResults(
    database,
    Array.from({ length: count }, () => newResult(tenantId)),
  );
  publisher.wake();
}

test('a group consumes through what it was given, goes on where it was, and another one gets everything again', async () => {
  await insertTenants(database, 'search');
  await ensureTenantStreams(deps, 'search');
  await ensureTenantStreams(deps, 'search');
  const user = createUser();
  const opened = await open('search', 'indexer', user);
  assert.deepEqual(
    { ...opened, userJwt: '' },
    {
      userJwt: '',
      natsUrls: [nats.url],
      expiresAfterMs: 900_000,
      stream: 'RESULTS_search_bulk_0_1',
      consumer: 'indexer',
      apiPrefix: 'decorum.API',
      cell: 0,
      generation: 1,
    },
  );
  await write('search', 5);
  assert.deepEqual(await consume(opened, user, 5), [1n, 2n, 3n, 4n, 5n]);
  await write('search', 2);
  const again = createUser();
  assert.deepEqual(await consume(await open('search', 'indexer', again), again, 2), [6n, 7n]);
  assert.deepEqual(await consume(await open('search', 'audit', user), user, 7), [1n, 2n, 3n, 4n, 5n, 6n, 7n]);
  assert.deepEqual(await consume(await open('search', 'tail', user, 6n), user, 2), [6n, 7n]);
});

test('progress is listed per group, and a deleted group begins anew', async () => {
  await insertTenants(database, 'lists');
  const user = createUser();
  const opened = await open('lists', 'b', user);
  await write('lists', 4);
  await consume(opened, user, 3);
  await patiently(() => open('lists', 'a', user, 3n));
  const progress = [
    { group: 'a', lane: 'bulk', acknowledgedThrough: 2n, deliveredThrough: 2n, backlog: 2n },
    { group: 'b', lane: 'bulk', acknowledgedThrough: 3n, deliveredThrough: 3n, backlog: 1n },
  ];
  assert.deepEqual(await listGroups(deps, 'lists'), progress);
  assert.deepEqual(await listGroups(deps, 'search-other'), []);
  await deleteGroup(deps, { tenantId: 'lists', group: 'b', lane: 'bulk' });
  assert.deepEqual(await listGroups(deps, 'lists'), progress.slice(0, 1));
  await assert.rejects(deleteGroup(deps, { tenantId: 'lists', group: 'b', lane: 'bulk' }), {
    kind: 'not_found',
    reason: 'GROUP_UNKNOWN',
  });
  await assert.rejects(deleteGroup(deps, { tenantId: 'lists', group: 'a', lane: 'urgent' }), {
    kind: 'not_found',
  });
  assert.deepEqual(await consume(await open('lists', 'b', user), user, 1), [1n]);
});

test('a new group begins where it was told, also when its stream is being filled, and again after a loss', async () => {
  await insertTenants(database, 'start');
  const user = createUser();
  await assert.rejects(open('start', 'late', user, 5n), { kind: 'invalid', reason: 'START_NUMBER_UNKNOWN' });
  await write('start', 900);
  const opened = await patiently(() => open('start', 'late', user, 899n));
  assert.deepEqual(await consume(opened, user, 1), [899n]);
  await broker.useJetStream(({ manager }) => manager.streams.delete(opened.stream));
  const reopened = await patiently(() => open('start', 'late', user, 1n));
  assert.deepEqual(await consume(reopened, user, 2), [899n, 900n]);
});

test('a consumer of no group is left over, and removed', async () => {
  await insertTenants(database, 'left');
  const user = createUser();
  const { stream } = await open('left', 'kept', user);
  await broker.useJetStream(({ manager }) => manager.consumers.add(stream, { durable_name: 'nobody' }));
  await database.advanceClock(61_000);
  const consumers = async (): Promise<string[]> =>
    broker.useJetStream(async ({ manager }) => {
      const names: string[] = [];
      for await (const { name } of manager.consumers.list(stream)) names.push(name);
      return names;
    });
  for (let round = 0; round < 100 && (await consumers()).length > 1; round += 1) await sleep(100);
  assert.deepEqual(await consumers(), ['kept']);
});

test('a key that is none, and more groups than there may be, are refused', async () => {
  await insertTenants(database, 'wrong');
  for (const key of [createAccount().getPublicKey(), `U${'A'.repeat(55)}`, '']) {
    const input = {
      tenantId: 'wrong',
      group: 'g',
      lane: 'bulk',
      userPublicKey: key,
      startNumber: undefined,
    } as const;
    await assert.rejects(openResults(deps, input), { kind: 'invalid', reason: 'USER_KEY_INVALID' });
  }
  await database.admin`
    insert into result_group (tenant_id, group_name, lane, cell, generation)
    select 'wrong', 'g' || n, 'bulk', 0, 1 from generate_series(1, ${GROUPS_MAX}) n
  `;
  const user = createUser();
  await assert.rejects(open('wrong', 'one-more', user), { kind: 'quota', reason: 'GROUPS' });
  await open('wrong', 'g1', user);
});

test('T1: a tenant reaches no stream but its own', async () => {
  await insertTenants(database, 'tenant-a', 'tenant-b');
  const user = createUser();
  const ofA = await open('tenant-a', 'g', user);
  const ofB = await open('tenant-b', 'g', user);
  await write('tenant-b', 1);
  await assert.rejects(consume({ ...ofA, stream: ofB.stream }, user, 1));
  assert.deepEqual(await consume(ofB, user, 1), [1n]);
});

test('without the broker results cannot be opened, and the tenant gets its place when it is back', async () => {
  await insertTenants(database, 'early');
  await nats.stop();
  const user = createUser();
  const unavailable = { kind: 'unavailable', reason: 'RESULTS_UNAVAILABLE' };
  await assert.rejects(ensureTenantStreams(deps, 'early'), unavailable);
  await assert.rejects(open('early', 'g', user), unavailable);
  await assert.rejects(listGroups(deps, 'early'), unavailable);
  await write('early', 1);
  await nats.restart();
  const opened = await patiently(() => open('early', 'g', user));
  assert.deepEqual(await consume(opened, user, 1), [1n]);
});

/** Repeats what is unavailable, as a client does. */
async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  for (let round = 0; ; round += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DomainError) || round === 50) throw error;
      await sleep(200);
    }
  }
}

test('a lost stream is opened again from the record', async () => {
  await insertTenants(database, 'wiped');
  const user = createUser();
  await open('wiped', 'g', user);
  await write('wiped', 3);
  await sleep(500);
  await broker.useJetStream(({ manager }) => manager.streams.delete(streamNameOf(streamOf('wiped'))));
  const opened = await open('wiped', 'g', user);
  assert.deepEqual(await consume(opened, user, 3), [1n, 2n, 3n]);
});
