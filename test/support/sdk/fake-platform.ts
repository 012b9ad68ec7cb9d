import assert from 'node:assert/strict';
import { create, toBinary } from '@bufbuild/protobuf';
import { durationFromMs } from '@bufbuild/protobuf/wkt';
import type { ConnectError, ServiceImpl } from '@connectrpc/connect';
import { ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import { Lane } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import { ResultKind, ResultNoticeSchema, ResultSchema } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import { ResultService, ResultStatus } from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import { connectPlatform } from '@decorum/server/results/nats/connect-platform.ts';
import { createTenantAccount } from '@decorum/server/results/nats/create-tenant-account.ts';
import { createTenantUserJwt } from '@decorum/server/results/nats/create-tenant-user-jwt.ts';
import { resultStreamName } from '@decorum/server/results/nats/result-stream-name.ts';
import { TENANT_API_PREFIX } from '@decorum/server/results/nats/result-subjects.ts';
import type { JetStreamManager } from '@nats-io/jetstream';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { nanos } from '@nats-io/transport-node';
import { startTestNats, type TestNats } from '../nats.ts';
import { serveHandlers } from './serve-handlers.ts';

/** A nats-server with connections as the platform has them. */
export type NatsFixture = AsyncDisposable & {
  readonly server: TestNats;
  readonly platform: NatsConnection;
  readonly system: NatsConnection;
  readonly manager: JetStreamManager;
};

export async function startNats(): Promise<NatsFixture> {
  const server = await startTestNats();
  const platform = await connectPlatform({ url: server.url, creds: server.platformCreds });
  const system = await connectPlatform({ url: server.url, creds: server.systemCreds });
  return {
    server,
    platform,
    system,
    manager: await jetstreamManager(platform),
    async [Symbol.asyncDispose]() {
      await platform.close();
      await system.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** An API that answers the two calls about results from what a test published, over a real nats-server. */
export type FakePlatform = AsyncDisposable & {
  readonly url: string;
  readonly stream: string;
  /** Publishes notices of results `from` to `through`. */
  publish(from: number, through: number): Promise<void>;
  /** The acknowledged floor of a group, and what is delivered and not acknowledged. */
  position(group: string): Promise<{ floor: number; pending: number }>;
  /** Calls of OpenResults and GetResults so far. */
  readonly calls: { open: number; get: number };
  /** Changes how the API answers. */
  readonly mood: Mood;
  createStream(): Promise<void>;
};

/** How the API answers; a test may change it. */
export type Mood = {
  jwtMs: number;
  ackWaitMs: number;
  ackPendingMax: number;
  generation: number;
  getError?: ConnectError;
  openError?: ConnectError;
  /** Numbers whose record is gone. */
  gone: Set<number>;
  natsUrl?: string;
};

let tenants = 0;

/** A tenant of its own, with its account, one stream and an API. */
export async function startFakePlatform(
  { server, platform, system, manager }: NatsFixture,
  mood: Partial<Mood> = {},
): Promise<FakePlatform> {
  const tenant = `t${(tenants += 1)}`;
  const calls = { open: 0, get: 0 };
  const fullMood: Mood = {
    jwtMs: 900_000,
    ackWaitMs: 30_000,
    ackPendingMax: 1_000,
    generation: 1,
    gone: new Set(),
    ...mood,
  };
  const streamName = () =>
    resultStreamName({ tenant, lane: 'bulk', cell: 0, generation: fullMood.generation });
  const createStream = async () => {
    const name = streamName();
    await manager.streams.add({ name, subjects: [name] });
    const { operator: operatorSeed, platform: platformSeed } = server.seeds;
    await createTenantAccount({ system, operatorSeed, platformSeed, nowMs: Date.now }, tenant, [name]);
  };
  await createStream();

  const openResults: ServiceImpl<typeof ResultService>['openResults'] = async (request) => {
    calls.open += 1;
    if (fullMood.openError !== undefined) throw fullMood.openError;
    await manager.consumers.add(streamName(), {
      durable_name: request.group,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(fullMood.ackWaitMs),
      max_ack_pending: fullMood.ackPendingMax,
      max_deliver: -1,
    });
    const jwt = createTenantUserJwt(server.seeds.operator, {
      tenant,
      publicKey: request.userPublicKey,
      nowMs: Date.now(),
      lifetimeMs: fullMood.jwtMs,
    });
    return {
      natsUrls: [fullMood.natsUrl ?? server.url],
      userJwt: jwt ?? assert.fail('not a public user key'),
      expiresAfter: durationFromMs(fullMood.jwtMs),
      stream: streamName(),
      consumer: request.group,
      apiPrefix: TENANT_API_PREFIX,
      cell: 0,
      generation: fullMood.generation,
    };
  };
  const getResults: ServiceImpl<typeof ResultService>['getResults'] = (request) => {
    calls.get += 1;
    if (fullMood.getError !== undefined) throw fullMood.getError;
    assert.equal(request.lane, Lane.BULK);
    assert.equal(request.generation, fullMood.generation);
    return {
      items: request.numbers.map((number) =>
        fullMood.gone.has(Number(number))
          ? { status: ResultStatus.NOT_FOUND }
          : { status: ResultStatus.FOUND, result: resultMessage(number, fullMood.generation) },
      ),
    };
  };
  const api = await serveHandlers((router) => {
    router.service(ResultService, { openResults, getResults });
    router.service(ContentService, {
      readBody: async function* ({ captureId }) {
        yield { chunk: new TextEncoder().encode(`body of `) };
        yield { chunk: new TextEncoder().encode(captureId) };
      },
    });
  });
  return {
    url: api.url,
    get stream() {
      return streamName();
    },
    calls,
    mood: fullMood,
    createStream,
    async publish(from, through) {
      const client = jetstream(platform);
      for (let n = from; n <= through; n += 1) {
        const notice = create(ResultNoticeSchema, {
          number: BigInt(n),
          lane: Lane.BULK,
          generation: fullMood.generation,
          requestId: `r${n}`,
          kind: ResultKind.PAGE,
          statusCode: 200,
        });
        await client.publish(streamName(), toBinary(ResultNoticeSchema, notice), {
          expect: { lastSequence: n - 1 },
        });
      }
    },
    async position(group) {
      const info = await manager.consumers.info(streamName(), group);
      return { floor: info.ack_floor.stream_seq, pending: info.num_ack_pending };
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

function resultMessage(number: bigint, generation: number) {
  return create(ResultSchema, {
    number,
    lane: Lane.BULK,
    generation,
    requestId: `r${number}`,
    kind: ResultKind.PAGE,
    url: `https://a.test/${number}`,
    capture: { captureId: `c${number}`, statusCode: 200 },
  });
}
