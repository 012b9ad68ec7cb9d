import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fromBinary } from '@bufbuild/protobuf';
import { ResultNoticeSchema, type ResultNotice } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import type { Broker } from '@decorum/server/results/broker.ts';
import { ensureConsumer } from '@decorum/server/results/ensure-consumer.ts';
import { publishNotices } from '@decorum/server/results/publish-notices.ts';
import { toStreamConfig } from '@decorum/server/results/stream-config.ts';
import { streamNameOf } from '@decorum/server/results/stream-name.ts';
import { insertResults } from '@decorum/server/store/insert-results.ts';
import type { ResultLane } from '@decorum/server/store/result-stream-key.ts';
import { transact } from '@decorum/server/store/transact.ts';
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

before(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startTestNats()]);
  broker = createTestBroker(nats);
});
after(async () => {
  await broker[Symbol.asyncDispose]();
  await Promise.all([database[Symbol.asyncDispose](), nats[Symbol.asyncDispose]()]);
});

type Numbered = { number: bigint | null; requestId: string; isPublished: boolean };

async function loadNumbers(tenantId: string, lane: ResultLane = 'bulk'): Promise<Numbered[]> {
  return database.admin<Numbered[]>`
    select number, request_id as "requestId", published_at is not null as "isPublished" from result
    where tenant_id = ${tenantId} and lane = ${lane} order by number
  `;
}

async function loadPublishedThrough(tenantId: string, lane: ResultLane = 'bulk'): Promise<bigint> {
  const [row] = await database.admin<{ through: bigint }[]>`
    select published_through as through from result_stream where tenant_id = ${tenantId} and lane = ${lane}
  `;
  return row?.through ?? 0n;
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 600; round += 1) {
    if (await isTrue()) return;
    await sleep(50);
  }
  assert.fail(`in vain: ${what}`);
}

async function untilPublished(tenantId: string, count: number, lane: ResultLane = 'bulk'): Promise<void> {
  await until(
    `${count} results published`,
    async () => (await loadPublishedThrough(tenantId, lane)) === BigInt(count),
  );
}

/** The notices in a stream, by sequence. */
async function readStream(tenantId: string, lane: ResultLane = 'bulk'): Promise<Map<number, ResultNotice>> {
  await until('a connection', async () => broker.isOnline());
  const name = streamNameOf(streamOf(tenantId, lane));
  return broker.useJetStream(async ({ manager }) => {
    const { state } = await manager.streams.info(name);
    const notices = new Map<number, ResultNotice>();
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      const message = await manager.streams.getMessage(name, { seq });
      if (message !== null) notices.set(seq, fromBinary(ResultNoticeSchema, message.data));
    }
    return notices;
  });
}

async function assertStreamIsRecord(tenantId: string, from = 1, lane: ResultLane = 'bulk'): Promise<void> {
  const notices = await readStream(tenantId, lane);
  const results = (await loadNumbers(tenantId, lane)).filter(({ number }) => (number ?? 0n) >= from);
  assert.deepEqual(
    [...notices].map(([seq, { number, requestId }]) => [seq, number, requestId]),
    results.map(({ number, requestId }) => [Number(number), number, requestId]),
  );
}

test('D1: concurrent writers and two publishers leave no number out, and give none twice', async () => {
  await insertTenants(database, 'busy');
  const otherBroker = createTestBroker(nats);
  const publishers = [startTestPublisher(database, broker), startTestPublisher(database, otherBroker)];
  const write = async (): Promise<void> => {
    for (let round = 0; round < 15; round += 1) {
      await writeResults(
        database,
        Array.from({ length: 20 }, () => newResult('busy')),
      );
      publishers[round % 2]?.wake();
    }
  };
  await Promise.all([write(), write(), write(), write()]);
  await untilPublished('busy', 1_200);
  for (const publisher of publishers) await publisher[Symbol.asyncDispose]();
  await otherBroker[Symbol.asyncDispose]();

  const results = await loadNumbers('busy');
  assert.deepEqual(
    results.map(({ number }) => number),
    Array.from({ length: 1_200 }, (_, place) => BigInt(place + 1)),
  );
  assert.ok(results.every(({ isPublished }) => isPublished));
  await assertStreamIsRecord('busy');
});

test('D1: a result whose transaction commits late is numbered then, after those that overtook it', async () => {
  await insertTenants(database, 'late');
  const [late, early] = [newResult('late'), newResult('late')];
  const publisher = startTestPublisher(database, broker);
  await transact(database.control, async (sql) => {
    await insertResults(sql, { cell: 0, generation: 1 }, [late]);
    await writeResults(database, [early]);
    await untilPublished('late', 1);
  });
  await untilPublished('late', 2);
  await publisher[Symbol.asyncDispose]();
  assert.deepEqual(
    (await loadNumbers('late')).map(({ requestId }) => requestId),
    [early.requestId, late.requestId],
  );
  await assertStreamIsRecord('late');
});

test('two publishers of one batch, as after a freeze, leave each notice once', async () => {
  const name = streamNameOf(streamOf('thawed'));
  const notices = Array.from({ length: 50 }, (_, place) => ({
    number: BigInt(place + 1),
    message: Buffer.from(`notice ${place + 1}`),
  }));
  await broker.useJetStream(async ({ manager, client }) => {
    await manager.streams.add(toStreamConfig(name));
    const both = await Promise.all([
      publishNotices(client, name, 0n, notices),
      publishNotices(client, name, 0n, notices),
    ]);
    assert.deepEqual(
      both.map(({ publishedThrough }) => publishedThrough),
      [50n, 50n],
    );
    // With the broker's memory of repeats gone, the sequence alone refuses them.
    const stale = notices.slice(0, 5).map(({ number }) => ({ number, message: Buffer.from('stale') }));
    const forgotten = stale.map(({ number, message }) =>
      client.publish(name, message, { expect: { lastSequence: Number(number) - 1 } }),
    );
    assert.ok((await Promise.allSettled(forgotten)).every(({ status }) => status === 'rejected'));
    const { state } = await manager.streams.info(name);
    assert.deepEqual([state.messages, state.last_seq], [50, 50]);
    assert.equal((await manager.streams.getMessage(name, { seq: 3 }))?.string(), 'notice 3');
  });
});

test('each tenant and lane counts on its own, and a notice holds no more than it may', async () => {
  await insertTenants(database, 'one', 'two');
  await writeResults(database, [
    newResult('one', { label: 'job', totalMs: 1_234 }),
    newResult('two'),
    newResult('one', { band: 6 }),
  ]);
  const publisher = startTestPublisher(database, broker);
  await untilPublished('one', 1);
  await untilPublished('two', 1);
  await untilPublished('one', 1, 'urgent');
  await publisher[Symbol.asyncDispose]();
  await assertStreamIsRecord('one', 1, 'urgent');
  const notice = (await readStream('one')).get(1);
  const [result] = await loadNumbers('one');
  assert.deepEqual(
    { ...notice, totalTime: { ...notice?.totalTime } },
    {
      $typeName: 'decorum.crawl.v1.ResultNotice',
      number: 1n,
      lane: 2,
      cell: 0,
      generation: 1,
      requestId: result?.requestId,
      kind: 4,
      statusCode: 0,
      bodyBytes: 0n,
      captureId: '',
      label: 'job',
      totalTime: { $typeName: 'google.protobuf.Duration', seconds: 1n, nanos: 234_000_000 },
    },
  );
});

test('a stream that was deleted is filled again from the record', async () => {
  await insertTenants(database, 'lost');
  await writeResults(
    database,
    Array.from({ length: 30 }, () => newResult('lost')),
  );
  const { logger, lines } = createMemoryLogger();
  const publisher = startTestPublisher(database, broker, logger);
  await untilPublished('lost', 30);
  await broker.useJetStream(({ manager }) => manager.streams.delete(streamNameOf(streamOf('lost'))));
  await writeResults(database, [newResult('lost')]);
  publisher.wake();
  await untilPublished('lost', 31);
  await publisher[Symbol.asyncDispose]();
  await assertStreamIsRecord('lost');
  assert.deepEqual(
    lines.filter(({ level }) => level === 'warn').map(({ repair }) => repair),
    ['make'],
  );
});

test('a stream that was deleted is noticed by itself, without a new result', async () => {
  await insertTenants(database, 'idle');
  await writeResults(database, [newResult('idle'), newResult('idle')]);
  const publisher = startTestPublisher(database, broker);
  await untilPublished('idle', 2);
  const name = streamNameOf(streamOf('idle'));
  await broker.useJetStream(({ manager }) => manager.streams.delete(name));
  await database.advanceClock(61_000);
  await until('a stream that is back', async () =>
    broker.useJetStream(async ({ manager }) => {
      const info = await manager.streams.info(name).catch(() => undefined);
      return info?.state.last_seq === 2;
    }),
  );
  await publisher[Symbol.asyncDispose]();
  await assertStreamIsRecord('idle');
});

test('a stream that begins later than 1, because the rest was acknowledged, is whole after a restart of the broker', async () => {
  await insertTenants(database, 'later');
  await writeResults(
    database,
    Array.from({ length: 20 }, () => newResult('later')),
  );
  const publisher = startTestPublisher(database, broker);
  await untilPublished('later', 20);
  await database.admin`
    insert into result_group (tenant_id, group_name, lane, cell, generation, acknowledged_through)
    values ('later', 'far', 'bulk', 0, 1, 17), ('later', 'near', 'bulk', 0, 1, 12)
  `;
  const name = streamNameOf(streamOf('later'));
  await broker.useJetStream(({ manager }) => manager.streams.delete(name));
  await writeResults(database, [newResult('later')]);
  publisher.wake();
  await untilPublished('later', 21);
  await until('consumers', async () => (await pendingOf(name, 'far')) !== undefined);
  await publisher[Symbol.asyncDispose]();
  await nats.stop();
  await nats.restart();
  await assertStreamIsRecord('later', 13);
  assert.deepEqual([await pendingOf(name, 'far'), await pendingOf(name, 'near')], [4, 9]);
});

async function pendingOf(stream: string, group: string): Promise<number | undefined> {
  return broker.useJetStream(async ({ manager }) => {
    const info = await manager.consumers.info(stream, group).catch(() => undefined);
    return info?.num_pending;
  });
}

test('what a publisher published and could not record any more is not published again', async () => {
  await insertTenants(database, 'cut');
  const results = Array.from({ length: 10 }, () => newResult('cut'));
  await writeResults(database, results);
  const first = startTestPublisher(database, broker);
  await untilPublished('cut', 10);
  await first[Symbol.asyncDispose]();
  await database.admin`update result_stream set published_through = 4 where tenant_id = 'cut'`;
  await database.admin`update result set published_at = null where tenant_id = 'cut' and number > 4`;
  const second = startTestPublisher(database, broker);
  await untilPublished('cut', 10);
  await second[Symbol.asyncDispose]();
  await assertStreamIsRecord('cut');
  assert.ok((await loadNumbers('cut')).every(({ isPublished }) => isPublished));
});

test('a broker that lost its tail gets it again', async () => {
  await insertTenants(database, 'tail');
  await writeResults(
    database,
    Array.from({ length: 10 }, () => newResult('tail')),
  );
  const publisher = startTestPublisher(database, broker);
  await untilPublished('tail', 10);
  // A stream that ends with 6: what a power failure leaves of one that ended with 10.
  const name = streamNameOf(streamOf('tail'));
  await broker.useJetStream(async ({ manager, client }) => {
    const kept = [...(await readStream('tail')).keys()].slice(0, 6);
    const messages = await Promise.all(kept.map((seq) => manager.streams.getMessage(name, { seq })));
    const { config } = await manager.streams.info(name);
    await manager.streams.delete(name);
    await manager.streams.add(config);
    for (const message of messages) await client.publish(name, message?.data);
  });
  await writeResults(database, [newResult('tail')]);
  publisher.wake();
  await untilPublished('tail', 11);
  await publisher[Symbol.asyncDispose]();
  await assertStreamIsRecord('tail');
});

test('D6: nothing is published into a stream that holds numbers which were never given', async () => {
  await insertTenants(database, 'foreign');
  const name = streamNameOf(streamOf('foreign'));
  await broker.useJetStream(async ({ manager, client }) => {
    await manager.streams.add({ name, subjects: [name] });
    for (let count = 0; count < 5; count += 1) await client.publish(name, 'of another history');
  });
  await writeResults(database, [newResult('foreign')]);
  const { logger, lines } = createMemoryLogger();
  const publisher = startTestPublisher(database, broker, logger);
  await until('a line', async () => lines.length > 0);
  await sleep(1_500);
  await publisher[Symbol.asyncDispose]();
  assert.deepEqual(
    lines.map(({ message }) => message),
    ['results of a stream wait'],
  );
  assert.equal(await loadPublishedThrough('foreign'), 0n);
  await broker.useJetStream(async ({ manager }) => {
    assert.equal((await manager.streams.info(name)).state.last_seq, 5);
  });
  await database.admin`delete from result where tenant_id = 'foreign'`;
  await database.admin`delete from result_stream where tenant_id = 'foreign'`;
});

test('a full stream holds results back until its groups have acknowledged enough', async () => {
  await insertTenants(database, 'full');
  const publisher = startTestPublisher(database, broker);
  await writeResults(database, [newResult('full')]);
  await untilPublished('full', 1);
  const name = streamNameOf(streamOf('full'));
  await broker.useJetStream(async ({ manager }) => {
    const { config } = await manager.streams.info(name);
    await manager.streams.update(name, { ...config, max_bytes: 4_000 });
  });
  await database.admin`
    insert into result_group (tenant_id, group_name, lane, cell, generation) values ('full', 'readers', 'bulk', 0, 1)
  `;
  await broker.useJetStream(({ manager }) =>
    ensureConsumer(manager, name, { group: 'readers', acknowledgedThrough: 0n }),
  );
  await writeResults(
    database,
    Array.from({ length: 50 }, () => newResult('full')),
  );
  publisher.wake();
  await until('a full stream', async () => (await loadPublishedThrough('full')) > 5n);
  const stuckAt = await loadPublishedThrough('full');
  assert.ok(stuckAt < 51n);
  await until('all results', async () => {
    await broker.useJetStream(async ({ client }) => {
      const consumer = await client.consumers.get(name, 'readers');
      for await (const message of await consumer.fetch({ max_messages: 100, expires: 1_000 })) message.ack();
    });
    await database.advanceClock(61_000);
    return (await loadPublishedThrough('full')) === 51n;
  });
  await publisher[Symbol.asyncDispose]();
  const groups = await database.admin<{ through: bigint }[]>`
    select acknowledged_through as through from result_group where tenant_id = 'full'
  `;
  assert.ok((groups[0]?.through ?? 0n) >= stuckAt);
});

test('while the broker is away results are numbered and wait; it is said once, and they arrive by themselves', async () => {
  await insertTenants(database, 'patient');
  const { logger, lines } = createMemoryLogger();
  const ownBroker = createTestBroker(nats, logger);
  const publisher = startTestPublisher(database, ownBroker, logger);
  await writeResults(database, [newResult('patient')]);
  await untilPublished('patient', 1);
  await nats.stop();
  await writeResults(database, [newResult('patient'), newResult('patient')]);
  await until('numbers', async () => (await loadNumbers('patient')).every(({ number }) => number !== null));
  await sleep(1_000);
  assert.equal(await loadPublishedThrough('patient'), 1n);
  await nats.restart();
  await untilPublished('patient', 3);
  await publisher[Symbol.asyncDispose]();
  await ownBroker[Symbol.asyncDispose]();
  await assertStreamIsRecord('patient');
  assert.deepEqual(
    lines.filter(({ level }) => level !== 'debug').map(({ message }) => message),
    ['the message broker is out of reach; results wait', 'the message broker is back'],
  );
});

test('a broker that is not there yet is waited for', async () => {
  await insertTenants(database, 'early');
  await nats.stop();
  const { logger, lines } = createMemoryLogger();
  const ownBroker = createTestBroker(nats, logger);
  const publisher = startTestPublisher(database, ownBroker, logger);
  await writeResults(database, [newResult('early')]);
  await until('a line', async () => lines.length > 0);
  await nats.restart();
  await untilPublished('early', 1);
  await publisher[Symbol.asyncDispose]();
  await ownBroker[Symbol.asyncDispose]();
});
