import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createClient, Code, ConnectError } from '@connectrpc/connect';
import { ErrorInfoSchema } from '@decorum/proto/google/rpc/error_details_pb.ts';
import { BodyCoding, ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import { OptOutDecision, Truncation } from '@decorum/proto/decorum/crawl/v1/capture_pb.ts';
import { Lane } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import { ResultKind } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import { ResultService, ResultStatus } from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import { connect } from '@decorum/sdk/index.ts';
import { createGrpcTransport } from '@decorum/sdk/transport/grpc-transport.ts';
import type { ContentHandlerDeps } from '@decorum/server/api/content/content-handlers.ts';
import type { ResultHandlerDeps } from '@decorum/server/api/result/result-handlers.ts';
import { getCapture } from '@decorum/server/archive/content/get-capture.ts';
import { listCaptures } from '@decorum/server/archive/content/list-captures.ts';
import { readBody } from '@decorum/server/archive/content/read-body.ts';
import { readLinks } from '@decorum/server/archive/content/read-links.ts';
import { readRecords } from '@decorum/server/archive/content/read-records.ts';
import { readText } from '@decorum/server/archive/content/read-text.ts';
import type { Broker } from '@decorum/server/results/broker.ts';
import { deleteGroup } from '@decorum/server/results/delete-group.ts';
import { listGroups } from '@decorum/server/results/list-groups.ts';
import { openResults } from '@decorum/server/results/open-results.ts';
import {
  getResultsByNumber,
  getResultsByRequest,
  replayResults,
} from '@decorum/server/results/read-results.ts';
import type { Publisher } from '@decorum/server/results/start-publisher.ts';
import { systemClock } from '@decorum/server/runtime/clock.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startTestNats, type TestNats } from '../support/nats.ts';
import { createCaptureStore, type CaptureStore } from '../support/results/capture-store.ts';
import {
  createMemoryLogger,
  createTestBroker,
  insertTenants,
  startTestPublisher,
} from '../support/results/fixtures.ts';
import { KEYS, startTestApi } from './api-server.ts';

/* The tenant `search`, over the API and the SDK, on the real parts but for the fetching. */

const URL_OF_PAGE = 'https://a.test/page';
const PAGE = '<html lang="en"><title>Page</title><a href="/next">next</a>';

let database: TestDatabase;
let nats: TestNats;
let store: CaptureStore;
let broker: Broker;
let publisher: Publisher;
let api: Awaited<ReturnType<typeof startTestApi>>;
let captureId: string;

before(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startTestNats()]);
  await insertTenants(database, 'search');
  store = await createCaptureStore(database);
  broker = createTestBroker(nats);
  publisher = startTestPublisher(database, broker);
  api = await startTestApi({ deps: apiDeps() });
  captureId = await store.store({
    tenants: ['search'],
    url: URL_OF_PAGE,
    body: gzipSync(PAGE),
    fields: [['Content-Encoding', 'gzip']],
  });
});
after(async () => {
  await api[Symbol.asyncDispose]();
  await publisher[Symbol.asyncDispose]();
  await broker[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await Promise.all([database[Symbol.asyncDispose](), nats[Symbol.asyncDispose]()]);
});

function apiDeps(): ResultHandlerDeps & ContentHandlerDeps {
  const pool = database.general;
  const results = { pool, broker, logger: createMemoryLogger().logger, wallMs: Date.now };
  const content = { pool, archive: store.archive, clock: systemClock };
  return {
    openResults: (input) => openResults(results, input),
    listGroups: (tenantId) => listGroups(results, tenantId),
    deleteGroup: (input) => deleteGroup(results, input),
    getResultsByNumber: (tenantId, selection, numbers) =>
      getResultsByNumber(results, tenantId, selection, numbers),
    getResultsByRequest: (tenantId, requestIds) => getResultsByRequest(results, tenantId, requestIds),
    replayResults: (tenantId, selection, page) => replayResults(results, tenantId, selection, page),
    getCapture: (tenantId, id) => getCapture(content, tenantId, id),
    listCaptures: (tenantId, query) => listCaptures(content, tenantId, query),
    readBody: (input) => readBody(content, input),
    readRecords: (tenantId, ids) => readRecords(content, tenantId, ids),
    readText: (tenantId, id) => readText(content, tenantId, id),
    readLinks: (tenantId, id) => readLinks(content, tenantId, id),
  };
}

async function withClients<T>(
  work: (clients: {
    results: ReturnType<typeof createClient<typeof ResultService>>;
    content: ReturnType<typeof createClient<typeof ContentService>>;
  }) => Promise<T>,
): Promise<T> {
  await using transport = createGrpcTransport({ url: `http://${api.grpcAddress}`, key: KEYS.tenant });
  return await work({
    results: createClient(ResultService, transport),
    content: createClient(ContentService, transport),
  });
}

async function readWhole(messages: AsyncIterable<unknown>): Promise<void> {
  for await (const message of messages) assert.ok(message);
}

function reasonOf(error: unknown): string | undefined {
  return error instanceof ConnectError ? error.findDetails(ErrorInfoSchema)[0]?.reason : undefined;
}

test('the SDK receives a result over JetStream, whole, and reads its body', async () => {
  await using crawl = connect({ url: `http://${api.grpcAddress}`, key: KEYS.tenant });
  for await (const result of crawl.results({ group: 'sdk' })) {
    assert.equal(result.number, 1);
    assert.equal(result.finalUrl, URL_OF_PAGE);
    assert.equal(result.capture?.captureId, captureId);
    assert.equal(await result.body().text(), PAGE);
    assert.deepEqual(Buffer.from(await result.body({ coding: 'raw' }).bytes()), gzipSync(PAGE));
    result.ack();
    break;
  }
});

test('a result and its capture are shown as the contract says', async () => {
  await withClients(async ({ results, content }) => {
    const { items } = await results.getResults({ lane: Lane.BULK, numbers: [1n, 2n] });
    assert.deepEqual(
      items.map(({ status }) => status),
      [ResultStatus.FOUND, ResultStatus.NOT_FOUND],
    );
    const result = items[0]?.result;
    assert.equal(result?.kind, ResultKind.PAGE);
    assert.equal(result.lane, Lane.BULK);
    assert.equal(result.url, URL_OF_PAGE);
    assert.ok(result.times?.completedAt !== undefined && result.times.fetchedAt === undefined);
    const { capture } = await content.getCapture({ captureId: captureId.toUpperCase() });
    assert.deepEqual(result.capture, capture);
    assert.equal(capture?.statusCode, 200);
    assert.equal(capture.truncation, Truncation.UNSPECIFIED);
    assert.match(capture.payloadSha256, /^[0-9a-f]{64}$/);
    assert.equal(capture.provenance?.address, '127.64.0.1');
    assert.deepEqual(
      capture.optOuts.map(({ purpose, decision }) => [purpose, decision]),
      ['AI_INPUT', 'AI_TRAIN', 'ARCHIVE', 'MONITORING', 'SEARCH', 'TRUST_SAFETY'].map((purpose) => [
        purpose,
        OptOutDecision.ALLOW,
      ]),
    );
    const replay = await results.replayResults({ lane: Lane.BULK, fromNumber: 1n });
    assert.deepEqual(replay.results, [result]);
    assert.equal(replay.nextNumber, undefined);
    assert.deepEqual((await content.listCaptures({ url: URL_OF_PAGE })).captures, [capture]);
  });
});

test('content is streamed and parsed over the API', async () => {
  await withClients(async ({ content }) => {
    const chunks: Uint8Array[] = [];
    for await (const { chunk } of content.readBody({ captureId, coding: BodyCoding.RAW })) chunks.push(chunk);
    assert.deepEqual(Buffer.concat(chunks), gzipSync(PAGE));
    const records: string[] = [];
    for await (const record of content.readRecords({ captureIds: [captureId] }))
      records.push(record.captureId);
    assert.ok(records.length >= 3 && records.every((id) => id === captureId));
    const { title, language, text } = await content.readText({ captureId });
    assert.deepEqual([title, language, text], ['Page', 'en', 'next']);
    assert.deepEqual((await content.readLinks({ captureId })).links, ['https://a.test/next']);
  });
});

test('groups are listed and deleted', async () => {
  await withClients(async ({ results }) => {
    const { groups } = await results.listGroups({});
    assert.deepEqual(
      groups.map(({ group, lane, deliveredThrough }) => [group, lane, deliveredThrough]),
      [['sdk', Lane.BULK, 1n]],
    );
    await results.deleteGroup({ group: 'sdk', lane: Lane.BULK });
    assert.deepEqual((await results.listGroups({})).groups, []);
  });
});

test('what is wrong is refused with a reason, and what is not built says so', async () => {
  await withClients(async ({ results, content }) => {
    const calls: [() => Promise<unknown>, Code, string][] = [
      [() => results.getResults({ numbers: [1n] }), Code.InvalidArgument, 'LANE_MISSING'],
      [
        () => results.getResults({ lane: Lane.BULK, numbers: [1n], requestIds: [captureId] }),
        Code.InvalidArgument,
        'NUMBERS_OR_REQUEST_IDS',
      ],
      [() => results.getResults({ requestIds: ['no-uuid'] }), Code.InvalidArgument, 'INVALID_FIELD'],
      [() => content.getCapture({ captureId: crypto.randomUUID() }), Code.NotFound, 'CAPTURE_UNKNOWN'],
      [
        () => readWhole(content.readBody({ captureId: crypto.randomUUID() })),
        Code.NotFound,
        'CAPTURE_UNKNOWN',
      ],
      [() => results.deleteGroup({ group: 'none', lane: Lane.URGENT }), Code.NotFound, 'GROUP_UNKNOWN'],
      [() => results.checkCompliance({}), Code.Unimplemented, 'NOT_BUILT_YET'],
    ];
    for (const [call, code, reason] of calls) {
      await assert.rejects(call, (error) => {
        assert.ok(error instanceof ConnectError);
        assert.deepEqual([error.code, reasonOf(error)], [code, reason]);
        return true;
      });
    }
  });
});
