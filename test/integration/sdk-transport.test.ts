import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { create } from '@bufbuild/protobuf';
import type { ConnectRouter, ServiceImpl } from '@connectrpc/connect';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import { ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import { CrawlService } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import { SubmitStatus } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import { ErrorInfoSchema } from '@decorum/proto/google/rpc/error_details_pb.ts';
import type { GrpcTransportOptions } from '@decorum/sdk/transport/grpc-transport.ts';
import { createGrpcTransport } from '@decorum/sdk/transport/grpc-transport.ts';
import { SEND_BYTES_MAX } from '@decorum/sdk/transport/create-channel.ts';
import {
  SECURE_TEST_CERTIFICATE,
  SECURE_TEST_KEY,
  TEST_AUTHORITY,
} from '../support/fetch/test-certificate.ts';
import { serveHandlers } from '../support/sdk/serve-handlers.ts';

type Handlers = {
  crawl?: Partial<ServiceImpl<typeof CrawlService>>;
  content?: Partial<ServiceImpl<typeof ContentService>>;
  tenant?: Partial<ServiceImpl<typeof TenantService>>;
};

const serve = (handlers: Handlers, port?: number, tls?: { key: string; cert: string }) =>
  serveHandlers(
    (router: ConnectRouter) => {
      router.service(CrawlService, handlers.crawl ?? {}, { readMaxBytes: 16 * 2 ** 20 });
      router.service(ContentService, handlers.content ?? {}, { readMaxBytes: 16 * 2 ** 20 });
      router.service(TenantService, handlers.tenant ?? {});
    },
    port,
    tls,
  );

const acceptAll: NonNullable<Handlers['crawl']> = {
  submit: ({ requests }) => ({
    outcomes: requests.map(({ url }) => ({ status: SubmitStatus.ACCEPTED, requestId: url })),
  }),
};
const unavailable = () => new ConnectError('going down', Code.Unavailable);

test('a unary call carries the key, headers both ways, trailers and the deadline', async () => {
  let seen:
    | {
        authorization: string | null;
        timeoutMs: number | undefined;
        ping: string | null;
        bytes: string | null;
      }
    | undefined;
  await using server = await serve({
    crawl: {
      getQuota: (_request, context) => {
        seen = {
          authorization: context.requestHeader.get('authorization'),
          timeoutMs: context.timeoutMs(),
          ping: context.requestHeader.get('x-ping'),
          bytes: context.requestHeader.get('x-raw-bin'),
        };
        context.responseHeader.set('x-pong', 'header');
        context.responseTrailer.set('x-end', 'trailer');
        context.responseTrailer.set('x-end-bin', 'AAEC');
        return { tenantId: 'search' };
      },
    },
  });
  await using transport = createGrpcTransport({ url: server.url, key: 'dk_test' });
  let header: Headers | undefined;
  let trailer: Headers | undefined;
  const answer = await createClient(CrawlService, transport).getQuota(
    {},
    {
      timeoutMs: 20_000,
      headers: { 'x-ping': 'a', 'x-raw-bin': 'AQID' },
      onHeader: (received) => (header = received),
      onTrailer: (received) => (trailer = received),
    },
  );
  assert.equal(answer.tenantId, 'search');
  assert.equal(seen?.authorization, 'Bearer dk_test');
  assert.equal(seen.ping, 'a');
  assert.equal(seen.bytes, 'AQID');
  assert.ok(seen.timeoutMs !== undefined && seen.timeoutMs > 0 && seen.timeoutMs <= 20_000);
  assert.equal(header?.get('x-pong'), 'header');
  assert.equal(trailer?.get('x-end'), 'trailer');
  assert.equal(trailer.get('x-end-bin'), 'AAEC');
});

test('a stream arrives whole and in order, and a reader that leaves cancels the server', async () => {
  const aborted = Promise.withResolvers<undefined>();
  let sent = 0;
  await using server = await serve({
    content: {
      readBody: async function* (request, context) {
        context.signal.addEventListener('abort', () => aborted.resolve(undefined));
        for (let i = 0; request.captureId === 'endless' || i < 200; i += 1) {
          sent = i + 1;
          yield { chunk: new Uint8Array(65_536).fill(i % 256) };
        }
      },
    },
  });
  await using transport = createGrpcTransport({ url: server.url });
  const content = createClient(ContentService, transport);
  const first: (number | undefined)[] = [];
  for await (const { chunk } of content.readBody({})) {
    assert.equal(chunk.length, 65_536);
    first.push(chunk[0]);
  }
  assert.deepEqual(
    first,
    Array.from({ length: 200 }, (_, i) => i % 256),
  );

  // A connect-node handler that was left while it waited for room keeps its deadline's timer until then.
  for await (const { chunk } of content.readBody({ captureId: 'endless' }, { timeoutMs: 3_000 })) {
    assert.equal(chunk[0], 0);
    await sleep(200);
    break;
  }
  await aborted.promise;
  // 1 MiB of window each for stream and connection, and what lies in the server's own buffers.
  assert.ok(sent < 200, `the slow reader held the server back only after ${sent} chunks`);
});

test('messages of the client stream reach the server; an error of their source ends the call with it', async () => {
  await using server = await serve({
    content: {
      importCaptures: async (requests) => {
        let bytes = 0;
        for await (const { chunk } of requests) bytes += chunk.length;
        return { imported: BigInt(bytes) };
      },
    },
  });
  await using transport = createGrpcTransport({ url: server.url });
  const content = createClient(ContentService, transport);
  const answer = await content.importCaptures(
    (async function* () {
      for (let i = 0; i < 20; i += 1) yield { chunk: new Uint8Array(100_000) };
    })(),
  );
  assert.equal(answer.imported, 2_000_000n);
  await assert.rejects(
    content.importCaptures(
      (async function* () {
        yield { chunk: new Uint8Array(10) };
        throw new Error('the file ended early');
      })(),
    ),
    /the file ended early/,
  );
});

test('an error arrives with its code, its text unescaped and its details, before and after messages', async () => {
  const error = () =>
    new ConnectError('50% of “quota”, gone', Code.ResourceExhausted, { 'x-why': 'quota' }, [
      {
        desc: ErrorInfoSchema,
        value: create(ErrorInfoSchema, {
          reason: 'QUOTA',
          domain: 'decorum',
          metadata: { limit: 'pending' },
        }),
      },
    ]);
  await using server = await serve({
    crawl: {
      getQuota: () => {
        throw error();
      },
      cancel: () => {
        throw new ConnectError('50% of “plain”, text', Code.InvalidArgument);
      },
    },
    content: {
      readBody: async function* () {
        yield { chunk: new Uint8Array(3) };
        throw error();
      },
    },
  });
  await using transport = createGrpcTransport({ url: server.url });
  const isQuota = (thrown: unknown) => {
    assert.ok(thrown instanceof ConnectError);
    assert.equal(thrown.code, Code.ResourceExhausted);
    assert.equal(thrown.rawMessage, '50% of “quota”, gone');
    assert.equal(thrown.findDetails(ErrorInfoSchema)[0]?.metadata['limit'], 'pending');
    assert.equal(thrown.metadata.get('x-why'), 'quota');
    return true;
  };
  const crawl = createClient(CrawlService, transport);
  await assert.rejects(crawl.getQuota({}), isQuota);
  await assert.rejects(crawl.cancel({}), { code: Code.InvalidArgument, rawMessage: '50% of “plain”, text' });
  let chunks = 0;
  await assert.rejects(async () => {
    for await (const { chunk } of createClient(ContentService, transport).readBody({}))
      chunks += chunk.length;
  }, isQuota);
  assert.equal(chunks, 3);
});

test('a safe call is repeated when a node says UNAVAILABLE, a message of 6 MB included; an unsafe one is not', async () => {
  const calls = { submit: 0, createKey: 0, requestIds: new Set<string>() };
  await using server = await serve({
    crawl: {
      submit: ({ requestId, requests }) => {
        calls.submit += 1;
        calls.requestIds.add(requestId);
        if (calls.submit < 4) throw unavailable();
        return { outcomes: requests.map(() => ({ status: SubmitStatus.ACCEPTED })) };
      },
    },
    tenant: {
      createKey: () => {
        calls.createKey += 1;
        throw unavailable();
      },
    },
  });
  await using transport = createGrpcTransport({ url: server.url });
  const requests = Array.from({ length: 1000 }, () => ({ url: `https://a.test/${'x'.repeat(6_000)}` }));
  const answer = await createClient(CrawlService, transport).submit({ requestId: 'batch-1', requests });
  assert.equal(answer.outcomes.length, 1000);
  assert.equal(calls.submit, 4);
  assert.deepEqual([...calls.requestIds], ['batch-1']);
  await assert.rejects(createClient(TenantService, transport).createKey({}), { code: Code.Unavailable });
  assert.equal(calls.createKey, 1);
});

test('a message over the limit is refused on this side, and the channel stays usable', async () => {
  await using server = await serve({ crawl: acceptAll });
  await using transport = createGrpcTransport({ url: server.url });
  const crawl = createClient(CrawlService, transport);
  const clientRef = new Uint8Array(SEND_BYTES_MAX + 1);
  await assert.rejects(crawl.submit({ requestId: 'a', requests: [{ clientRef }] }), {
    code: Code.ResourceExhausted,
  });
  assert.equal((await crawl.submit({ requestId: 'b', requests: [{ url: 'u' }] })).outcomes.length, 1);
});

test('a deadline is absolute over retries; an abort ends a call with its reason', async () => {
  let tries = 0;
  await using server = await serve({
    crawl: {
      getQuota: (_request, context) =>
        new Promise((_resolve, reject) => {
          tries += 1;
          context.signal.addEventListener('abort', () => reject(unavailable()));
        }),
    },
  });
  await using transport = createGrpcTransport({ url: server.url });
  const crawl = createClient(CrawlService, transport);
  await assert.rejects(crawl.getQuota({}, { timeoutMs: 300 }), { code: Code.DeadlineExceeded });
  assert.equal(tries, 1);
  const abort = new AbortController();
  const call = crawl.getQuota({}, { signal: abort.signal });
  setTimeout(() => abort.abort(new ConnectError('enough', Code.Canceled)), 50);
  await assert.rejects(call, { code: Code.Canceled, rawMessage: 'enough' });
});

test('nothing listening: failFast says UNAVAILABLE by itself, otherwise the deadline says so and names the address', async () => {
  const server = await serve({});
  await server[Symbol.asyncDispose]();
  await using fast = createGrpcTransport({ url: server.url, failFast: true });
  await assert.rejects(createClient(CrawlService, fast).getQuota({}), { code: Code.Unavailable });
  await using patient = createGrpcTransport({ url: server.url });
  await assert.rejects(createClient(CrawlService, patient).getQuota({}, { timeoutMs: 500 }), (error) => {
    assert.ok(error instanceof ConnectError);
    assert.equal(error.code, Code.Unavailable);
    assert.ok(error.rawMessage.includes(`no connection to 127.0.0.1:${server.port}`));
    return true;
  });
});

test('calls wait for a server that is restarted on the same port', async () => {
  const server = await serve({ crawl: acceptAll });
  await using transport = createGrpcTransport({ url: server.url });
  const crawl = createClient(CrawlService, transport);
  const submit = (id: string) => crawl.submit({ requestId: id, requests: [{ url: id }] });
  await submit('before');
  await server[Symbol.asyncDispose]();
  const during = Promise.all(['a', 'b', 'c'].map(submit));
  await sleep(700);
  await using restarted = await serve({ crawl: acceptAll }, server.port);
  assert.equal(restarted.url, server.url);
  assert.deepEqual(
    (await during).map(({ outcomes }) => outcomes[0]?.requestId),
    ['a', 'b', 'c'],
  );
});

test('several addresses share the calls in turn, and those of a node that dies move to the others', async () => {
  const served = new Map<string, number>();
  const node = (name: string) =>
    serve({
      crawl: {
        submit: () => {
          served.set(name, (served.get(name) ?? 0) + 1);
          return { outcomes: [{ requestId: name }] };
        },
      },
    });
  await using a = await node('a');
  const b = await node('b');
  await using c = await node('c');
  // A name that can't be resolved (a label has at most 63 bytes) is left out.
  const url = `${a.url},http://localhost:${b.port}, http://127.0.0.1:${c.port},http://${'x'.repeat(64)}:1`;
  await using transport = createGrpcTransport({ url });
  const crawl = createClient(CrawlService, transport);
  const submit = () => crawl.submit({ requestId: 'x', requests: [{ url: 'u' }] });
  while (served.size < 3) await submit();
  served.clear();
  for (let i = 0; i < 30; i += 1) await submit();
  assert.deepEqual(Object.fromEntries(served), { a: 10, b: 10, c: 10 });
  await b[Symbol.asyncDispose]();
  served.clear();
  for (let i = 0; i < 30; i += 1) await submit();
  assert.equal(served.get('b'), undefined);
  assert.equal((served.get('a') ?? 0) + (served.get('c') ?? 0), 30);
});

test('a hundred connections end by GOAWAY or are cut under load: no safe call is lost', async () => {
  const seen = new Set<string>();
  await using server = await serve({
    crawl: {
      submit: async ({ requestId }) => {
        await sleep(2);
        seen.add(requestId);
        return { outcomes: [{ requestId }] };
      },
    },
  });
  await using transport = createGrpcTransport({ url: server.url });
  const crawl = createClient(CrawlService, transport);
  let next = 0;
  let ended = 0;
  let done = false;
  const failures: unknown[] = [];
  const callers = Array.from({ length: 32 }, async () => {
    while (!done) {
      const requestId = `call-${(next += 1)}`;
      try {
        const { outcomes } = await crawl.submit({ requestId, requests: [{ url: 'u' }] });
        assert.equal(outcomes[0]?.requestId, requestId);
        ended += 1;
      } catch (error) {
        failures.push(error);
      }
    }
  });
  for (let round = 0; round < 100;) {
    const [session] = server.sessions;
    if (session === undefined || session.closed) {
      await sleep(1);
      continue;
    }
    if (round % 3 === 0) session.goaway();
    if (round % 3 === 2) session.destroy();
    else session.close();
    round += 1;
    await sleep(5);
  }
  done = true;
  await Promise.all(callers);
  assert.deepEqual(failures.map(String), []);
  assert.equal(ended, next);
  assert.ok([...Array(next).keys()].every((i) => seen.has(`call-${i + 1}`)));
});

test('over TLS a certificate must fit one of the addresses, under the authorities given', async () => {
  const tls = { key: SECURE_TEST_KEY, cert: SECURE_TEST_CERTIFICATE };
  await using server = await serve({ crawl: acceptAll }, 0, tls);
  const rootCertificates = Buffer.from(TEST_AUTHORITY);
  const submit = async (options: GrpcTransportOptions) => {
    await using transport = createGrpcTransport({ failFast: true, ...options });
    return await createClient(CrawlService, transport).submit({ requestId: 'a', requests: [{ url: 'u' }] });
  };
  // The certificate is for secure.test, which leads nowhere; the other address of the list is the one that answers.
  const url = `${server.url},https://secure.test:${server.port}`;
  assert.equal((await submit({ url, tls: { rootCertificates } })).outcomes.length, 1);
  await assert.rejects(submit({ url: server.url, tls: { rootCertificates } }), { code: Code.Unavailable });
  await assert.rejects(submit({ url }), { code: Code.Unavailable });
  await assert.rejects(submit({ url: server.url.replace('https', 'http') }), { code: Code.Unavailable });
});

test('a closed transport cancels what is under way and refuses what comes later', async () => {
  await using server = await serve({
    crawl: {
      getQuota: (_request, context) =>
        new Promise((_r, reject) => context.signal.addEventListener('abort', () => reject(unavailable()))),
    },
  });
  const transport = createGrpcTransport({ url: server.url });
  const crawl = createClient(CrawlService, transport);
  const call = crawl.getQuota({});
  const rejected = assert.rejects(call, { code: Code.Canceled });
  await sleep(50);
  await transport[Symbol.asyncDispose]();
  await rejected;
  await assert.rejects(crawl.getQuota({}), { code: Code.Canceled });
});
