import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Code, ConnectError } from '@connectrpc/connect';
import type { DeliveredResult, ResultsOptions } from '@decorum/sdk/index.ts';
import { connect, DecorumError } from '@decorum/sdk/index.ts';
import type { FakePlatform, NatsFixture } from '../support/sdk/fake-platform.ts';
import { startNats, startFakePlatform } from '../support/sdk/fake-platform.ts';

/* A real nats-server in operator mode; the API's two calls about results are answered from what a test published. */

let nats: NatsFixture;

before(async () => {
  nats = await startNats();
});
after(() => nats[Symbol.asyncDispose]());

/** Runs the loop until `count` results came, acknowledging each. */
async function take(
  url: string,
  count: number,
  options: ResultsOptions = {},
  onResult?: (result: DeliveredResult) => unknown,
): Promise<number[]> {
  await using crawl = connect({ url });
  const numbers: number[] = [];
  for await (const result of crawl.results(options)) {
    await onResult?.(result);
    result.ack();
    numbers.push(result.number);
    if (numbers.length === count) break;
  }
  return numbers;
}

const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, i) => from + i);
const untilPosition = async (fake: FakePlatform, group: string, floor: number) => {
  for (let tries = 0; (await fake.position(group)).floor !== floor; tries += 1) {
    assert.ok(tries < 100, `the floor of ${group} stays at ${(await fake.position(group)).floor}`);
    await sleep(50);
  }
};

test('results come whole, in order, with their bodies, and are acknowledged', async () => {
  await using fake = await startFakePlatform(nats);
  await fake.publish(1, 250);
  let first: DeliveredResult | undefined;
  let body = '';
  const numbers = await take(fake.url, 250, {}, async (result) => {
    if (first === undefined) body = await result.body().text();
    first ??= result;
  });
  assert.deepEqual(numbers, upTo(250));
  assert.equal(first?.url, 'https://a.test/1');
  assert.equal(first.kind, 'PAGE');
  assert.equal(first.deliveries, 1);
  assert.equal(body, 'body of c1');
  await untilPosition(fake, 'default', 250);
  assert.ok(fake.calls.get < 50, `${fake.calls.get} calls of GetResults for 250 results`);
});

test('without follow the loop ends when everything published has come', async () => {
  await using fake = await startFakePlatform(nats);
  assert.deepEqual(await take(fake.url, 1, { follow: false }), []);
  await fake.publish(1, 20);
  assert.deepEqual(await take(fake.url, 1_000, { follow: false }), upTo(20));
  assert.deepEqual(await take(fake.url, 1, { follow: false }), []);
  await untilPosition(fake, 'default', 20);
});

test('without follow, what was given back is part of what is left', async () => {
  await using fake = await startFakePlatform(nats);
  await fake.publish(1, 5);
  assert.deepEqual(await take(fake.url, 2, { follow: false }), [1, 2]);
  assert.deepEqual((await take(fake.url, 9, { follow: false })).sort(), [3, 4, 5]);
});

test('what was not acknowledged comes again at once, to the next reader, marked', async () => {
  await using fake = await startFakePlatform(nats);
  await fake.publish(1, 5);
  await using crawl = connect({ url: fake.url });
  for await (const result of crawl.results()) {
    if (result.number === 2) break;
    result.ack();
  }
  await using again = connect({ url: fake.url });
  const seen: [number, number][] = [];
  for await (const result of again.results()) {
    seen.push([result.number, result.deliveries]);
    result.ack();
    if (seen.length === 4) break;
  }
  assert.deepEqual(seen.map(([number]) => number).sort(), [2, 3, 4, 5]);
  assert.ok(seen.every(([, deliveries]) => deliveries === 2));
});

test('two groups each get everything, two members share', async () => {
  await using fake = await startFakePlatform(nats);
  await fake.publish(1, 300);
  const [a, b] = await Promise.all([
    take(fake.url, 300, { group: 'a' }),
    take(fake.url, 300, { group: 'b' }),
  ]);
  assert.deepEqual(a, upTo(300));
  assert.deepEqual(b, upTo(300));
  const shared: number[] = [];
  const stop = new AbortController();
  const member = async () => {
    await using crawl = connect({ url: fake.url });
    for await (const result of crawl.results({ group: 'shared', signal: stop.signal })) {
      await sleep(1);
      shared.push(result.number);
      result.ack();
      if (shared.length === 300) stop.abort();
    }
  };
  await Promise.all([member(), member()]);
  assert.deepEqual(
    shared.sort((x, y) => x - y),
    upTo(300),
  );
});

test('credentials are renewed while results flow: none is lost or comes twice', async () => {
  await using fake = await startFakePlatform(nats, { jwtMs: 4_000 });
  const publishing = (async () => {
    for (let n = 1; n <= 400; n += 20) {
      await fake.publish(n, n + 19);
      await sleep(500);
    }
  })();
  const numbers = await take(fake.url, 400, { soleMember: true });
  await publishing;
  assert.deepEqual(numbers, upTo(400));
  // Ten seconds, renewed at every second.
  assert.ok(fake.calls.open >= 4, `${fake.calls.open} calls of OpenResults`);
  await untilPosition(fake, 'default', 400);
});

test('a connection to NATS that breaks is made again, and every result comes', async () => {
  const target = new URL(nats.server.url);
  const sockets = new Set<net.Socket>();
  const relay = net.createServer((client) => {
    const upstream = net.connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const { port } = relay.address() as net.AddressInfo;
  await using fake = await startFakePlatform(nats, { ackWaitMs: 2_000, natsUrl: `nats://127.0.0.1:${port}` });
  const publishing = (async () => {
    for (let n = 1; n <= 200; n += 10) {
      await fake.publish(n, n + 9);
      if (n % 50 === 1) for (const socket of sockets) socket.destroy();
      await sleep(100);
    }
  })();
  const numbers = new Set(await take(fake.url, 200));
  await publishing;
  assert.deepEqual(
    [...numbers].sort((x, y) => x - y),
    upTo(200),
  );
  await untilPosition(fake, 'default', 200);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => relay.close(resolve));
});

test('a slow reader keeps what it holds: nothing is delivered again meanwhile', async () => {
  await using fake = await startFakePlatform(nats, { ackWaitMs: 1_500 });
  await fake.publish(1, 30);
  const seen: number[] = [];
  const numbers = await take(fake.url, 30, {}, async (result) => {
    seen.push(result.deliveries);
    if (result.number % 10 === 0) await sleep(2_000);
  });
  assert.deepEqual(numbers, upTo(30));
  assert.deepEqual(new Set(seen), new Set([1]));
});

test('the API away for a while: notices wait and the loop goes on', async () => {
  await using fake = await startFakePlatform(nats);
  await fake.publish(1, 10);
  fake.mood.getError = new ConnectError('down', Code.Unavailable);
  const taking = take(fake.url, 10);
  await sleep(1_500);
  delete fake.mood.getError;
  assert.deepEqual(await taking, upTo(10));
});

test('a key that was revoked ends the loop with the reason', async () => {
  await using fake = await startFakePlatform(nats, { jwtMs: 2_000 });
  await fake.publish(1, 1);
  await using crawl = connect({ url: fake.url });
  await assert.rejects(
    async () => {
      for await (const result of crawl.results()) {
        result.ack();
        fake.mood.openError = new ConnectError('the key was revoked', Code.Unauthenticated);
      }
    },
    (error) =>
      error instanceof DecorumError && error.code === 'unauthenticated' && error.message.includes('revoked'),
  );
});

test('a restored platform continues on the stream of the next generation', async () => {
  await using fake = await startFakePlatform(nats, { jwtMs: 2_000 });
  await fake.publish(1, 3);
  await using crawl = connect({ url: fake.url });
  const seen: [number, number][] = [];
  for await (const result of crawl.results()) {
    result.ack();
    seen.push([result.generation, result.number]);
    if (seen.length === 3) {
      fake.mood.generation = 2;
      await fake.createStream();
      await fake.publish(1, 2);
    }
    if (seen.length === 5) break;
  }
  assert.deepEqual(seen, [
    [1, 1],
    [1, 2],
    [1, 3],
    [2, 1],
    [2, 2],
  ]);
});

test('a sole member reads a number that does not come from the record; one that is gone is an error', async () => {
  await using fake = await startFakePlatform(nats, { ackWaitMs: 1_000, jwtMs: 8_000 });
  await fake.publish(1, 6);
  await nats.manager.streams.deleteMessage(fake.stream, 3);
  assert.deepEqual((await take(fake.url, 6, { soleMember: true })).sort(), upTo(6));
  await fake.publish(7, 9);
  await nats.manager.streams.deleteMessage(fake.stream, 8);
  fake.mood.gone.add(8);
  await assert.rejects(take(fake.url, 3, { soleMember: true }), { reason: 'RESULT_GAP', code: 'data_loss' });
});

test('a notice whose record is gone says so', async () => {
  await using fake = await startFakePlatform(nats);
  await fake.publish(1, 1);
  fake.mood.gone.add(1);
  let result: DeliveredResult | undefined;
  await take(fake.url, 1, {}, (delivered) => (result = delivered));
  assert.equal(result?.url, undefined);
  assert.match(result?.detail ?? '', /retention/);
  assert.throws(() => result?.body(), { reason: 'NO_CAPTURE' });
});

test('a loop that never acknowledges is told so when nothing more may be delivered', async () => {
  await using fake = await startFakePlatform(nats, { ackPendingMax: 10, jwtMs: 8_000 });
  await fake.publish(1, 20);
  await using crawl = connect({ url: fake.url });
  let seen = 0;
  await assert.rejects(
    async () => {
      for await (const result of crawl.results()) seen = result.number;
    },
    { reason: 'TOO_MANY_UNACKNOWLEDGED' },
  );
  assert.equal(seen, 10);
});

test('opening fails at once when the API or NATS is not there', async () => {
  await using fake = await startFakePlatform(nats, {
    openError: new ConnectError('suspended', Code.FailedPrecondition),
  });
  await assert.rejects(take(fake.url, 1), { code: 'failed_precondition' });
  await using crawl = connect({ url: 'http://127.0.0.1:9', failFast: true });
  await assert.rejects(crawl.results().next(), { code: 'unavailable', reason: 'UNREACHABLE' });
});

test('closing the client ends its loops and gives back what they held', async () => {
  await using fake = await startFakePlatform(nats);
  await fake.publish(1, 3);
  const crawl = connect({ url: fake.url });
  const loop = crawl.results();
  const first = await loop.next();
  assert.equal(first.value?.number, 1);
  await crawl[Symbol.asyncDispose]();
  assert.equal((await loop.next()).done, true);
  assert.deepEqual((await take(fake.url, 3)).sort(), upTo(3));
});
