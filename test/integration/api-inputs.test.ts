import { fromBinary } from '@bufbuild/protobuf';
import { BadRequestSchema, ErrorInfoSchema } from '@decorum/proto/google/rpc/error_details_pb.ts';
import type { LeaseReport } from '@decorum/server/frontier/attempt-report.ts';
import { decideSubmitItem } from '@decorum/server/frontier/decide-submit.ts';
import type { SubmitInput } from '@decorum/server/frontier/submit.ts';
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import { startTestApi } from './api-server.ts';

const CALLERS = {
  fetcher: { keyId: 'f', role: 'fetcher' },
  tenant: { keyId: 't', role: 'tenant', tenantId: 'search' },
  operator: { keyId: 'o', role: 'operator' },
} as const;

const UUID = '0198c6b2-7d3e-7c41-9a53-5d1f7a3e9b10';
const OTHER_UUID = '0198c6b2-7d3e-7c41-9a53-5d1f7a3e9b11';
const TOKEN = `1.${UUID}`;
const TOO_FAR = '9007199254740993';
const TOO_LARGE = '9223372036854775808';

/** Dependencies that answer, so that whatever is refused here was refused before them. */
function createDeps() {
  const reports: LeaseReport[] = [];
  return {
    reports,
    authenticate: (token: string) => Promise.resolve(CALLERS[token.split('_')[1] as keyof typeof CALLERS]),
    wallMs: () => 0,
    leaseMs: 1_000,
    residency: 'local',
    complete: (given: readonly LeaseReport[]) => {
      reports.push(...given);
      return Promise.resolve(given.map(() => ({ status: 'HELD' as const })));
    },
    lease: () => Promise.resolve([]),
    renew: () => Promise.resolve({ leases: [], segments: [], policyVersion: 1n }),
    release: () => Promise.resolve(true),
    openSegment: () => Promise.resolve(UUID),
    closeSegment: () => Promise.resolve(true),
    cancelRequests: () => Promise.resolve({ cancelled: 0, more: false }),
    submit: ({ items }: SubmitInput) => Promise.resolve(items.map(judge)),
    createTenant: () => Promise.resolve(undefined),
  };
}

function judge(item: SubmitInput['items'][number]) {
  const decision = decideSubmitItem(item, { nowMs: 0, bandMax: 7, exempt: undefined });
  return decision.ok
    ? ({ status: 'ACCEPTED', requestId: UUID } as const)
    : ({ status: 'REFUSED', refusal: decision } as const);
}

const PATHS = {
  fetcher: 'decorum.fetch.v1.FetchService',
  crawl: 'decorum.crawl.v1.CrawlService',
  result: 'decorum.crawl.v1.ResultService',
  operator: 'decorum.admin.v1.TenantService',
};

type Detail = { readonly type: string; readonly value: string };
type Answer = Record<string, unknown> & { readonly code?: string; readonly details?: readonly Detail[] };

const attempt = (changes: object = {}) => ({
  requestId: UUID,
  outcome: 'OUTCOME_FETCHED',
  endedAgo: '0s',
  capture: capture(),
  ...changes,
});

const capture = (changes: object = {}) => ({
  captureId: UUID,
  segmentId: UUID,
  statusCode: 200,
  records: [{ type: 'RECORD_TYPE_RESPONSE', offset: '0', length: '1' }],
  ...changes,
});

const report = (changes: object = {}) => ({ leaseToken: TOKEN, attempts: [attempt()], ...changes });
const withAttempt = (changes: object) => ({ reports: [report({ attempts: [attempt(changes)] })] });
const withCapture = (changes: object) => withAttempt({ capture: capture(changes) });
const withRecord = (changes: object) =>
  withCapture({ records: [{ type: 'RECORD_TYPE_RESPONSE', offset: '0', length: '1', ...changes }] });
const withRobots = (changes: object) => ({
  reports: [report({ attempts: [], robots: { outcome: 'OUTCOME_FETCHED', ...changes } })],
});
const AT = 'reports[0].attempts[0]';

type Refused = readonly [service: keyof typeof PATHS, method: string, request: object, field: string];

const REFUSED: readonly Refused[] = [
  ...(
    [
      [withAttempt({ requestId: 'x' }), `${AT}.request_id`],
      [withAttempt({ detail: 'x'.repeat(4097) }), `${AT}.detail`],
      [withAttempt({ endedAgo: '-1s' }), `${AT}.ended_ago`],
      [withAttempt({ endedAgo: '86401s' }), `${AT}.ended_ago`],
      [withAttempt({ responseTime: '-0.001s' }), `${AT}.response_time`],
      [withAttempt({ totalTime: '-1s' }), `${AT}.total_time`],
      [withAttempt({ bytesReceived: TOO_FAR }), `${AT}.bytes_received`],
      [withAttempt({ bytesSent: TOO_FAR }), `${AT}.bytes_sent`],
      [withCapture({ captureId: 'x' }), `${AT}.capture.capture_id`],
      [withCapture({ segmentId: '' }), `${AT}.capture.segment_id`],
      [withCapture({ revisitOfCaptureId: 'x' }), `${AT}.capture.revisit_of_capture_id`],
      [withCapture({ payloadSha256: 'A'.repeat(64) }), `${AT}.capture.payload_sha256`],
      [withCapture({ payloadSha256: 'a'.repeat(63) }), `${AT}.capture.payload_sha256`],
      [withCapture({ statusCode: 1000 }), `${AT}.capture.status_code`],
      [withCapture({ bodyBytes: TOO_FAR }), `${AT}.capture.body_bytes`],
      [withCapture({ records: Array(9).fill(capture().records[0]) }), `${AT}.capture.records`],
      [withRecord({ type: 0 }), `${AT}.capture.records[0].type`],
      [withRecord({ type: 99 }), `${AT}.capture.records[0].type`],
      [withRecord({ offset: TOO_FAR }), `${AT}.capture.records[0].offset`],
      [withRecord({ length: TOO_FAR }), `${AT}.capture.records[0].length`],
      [withRecord({ length: '0' }), `${AT}.capture.records[0].length`],
      [withRobots({ statusCode: 1000 }), 'reports[0].robots.status_code'],
      [withRobots({ content: Buffer.alloc(512_001).toString('base64') }), 'reports[0].robots.content'],
      [withRobots({ maxAge: '-1s' }), 'reports[0].robots.max_age'],
      [withRobots({ endedAgo: '-1s' }), 'reports[0].robots.ended_ago'],
      [withRobots({ responseTime: '-1s' }), 'reports[0].robots.response_time'],
      [withRobots({ bytesReceived: TOO_FAR }), 'reports[0].robots.bytes_received'],
      [withRobots({ bytesSent: TOO_FAR }), 'reports[0].robots.bytes_sent'],
      [withRobots({ detail: 'x'.repeat(4097) }), 'reports[0].robots.detail'],
      [{ reports: [report({ idle: '-1s' })] }, 'reports[0].idle'],
    ] as const
  ).map(([request, field]): Refused => ['fetcher', 'Complete', request, field]),
  ['fetcher', 'Lease', { workerId: 'a\0', leasesMax: 1 }, 'worker_id'],
  ['fetcher', 'Lease', { workerId: 'a', workerVersion: '1\x7f', leasesMax: 1 }, 'worker_version'],
  ['fetcher', 'Renew', { workerId: 'a\n' }, 'worker_id'],
  ['fetcher', 'Release', { leaseToken: TOKEN, idle: '-1s' }, 'idle'],
  ['fetcher', 'Release', { leaseToken: TOKEN, capturedRequestIds: ['x'] }, 'captured_request_ids[0]'],
  ['fetcher', 'OpenSegment', { workerId: 'a', residency: 'EU' }, 'residency'],
  ['fetcher', 'OpenSegment', { workerId: 'a\x01' }, 'worker_id'],
  ['fetcher', 'CloseSegment', { workerId: 'a', segmentId: UUID, bytes: TOO_FAR }, 'bytes'],
  ['crawl', 'Submit', { requestId: 'a\0', requests: [{ url: 'http://h.test/' }] }, 'request_id'],
  ['crawl', 'Cancel', { selector: { label: 'a\0' } }, 'selector.label'],
  ['crawl', 'Cancel', { selector: { site: 'a\x1f' } }, 'selector.site'],
  ['crawl', 'ListRequests', { site: 'a\0' }, 'site'],
  ['crawl', 'ListRequests', { host: 'a\x7f' }, 'host'],
  ['crawl', 'ListRequests', { label: 'a\r\n' }, 'label'],
  ['result', 'GetResults', { numbers: ['1', TOO_LARGE] }, 'numbers[1]'],
  ['result', 'GetResults', { cell: 32_768 }, 'cell'],
  ['result', 'GetResults', { generation: 2_147_483_648 }, 'generation'],
  ['result', 'ReplayResults', { lane: 'LANE_BULK', fromNumber: TOO_LARGE }, 'from_number'],
  ['result', 'ReplayResults', { lane: 'LANE_BULK', fromNumber: '1', cell: 32_768 }, 'cell'],
  [
    'result',
    'ReplayResults',
    { lane: 'LANE_BULK', fromNumber: '1', generation: 2_147_483_648 },
    'generation',
  ],
  ['result', 'ReportIndexed', { lane: 'LANE_BULK', numbers: [TOO_LARGE] }, 'numbers[0]'],
  [
    'result',
    'OpenResults',
    { group: 'g', lane: 'LANE_BULK', userPublicKey: `U${'A'.repeat(55)}`, startNumber: TOO_LARGE },
    'start_number',
  ],
];

suite('inputs that no store can hold', () => {
  const deps = createDeps();
  let api: Awaited<ReturnType<typeof startTestApi>>;
  before(async () => (api = await startTestApi({ deps: deps })));
  after(() => api[Symbol.asyncDispose]());

  async function call(service: keyof typeof PATHS, method: string, request: object): Promise<Answer> {
    const key = service === 'crawl' || service === 'result' ? 'tenant' : service;
    const response = await fetch(`${api.url}/${PATHS[service]}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer dk_${key}_secret` },
      body: JSON.stringify(request),
    });
    return (await response.json()) as Answer;
  }

  async function refusal(service: keyof typeof PATHS, method: string, request: object) {
    const { code, details = [] } = await call(service, method, request);
    const found = (type: string) =>
      details.filter((one) => one.type === type).map(({ value }) => Buffer.from(value, 'base64'));
    return {
      code,
      reasons: found('google.rpc.ErrorInfo').map((bytes) => fromBinary(ErrorInfoSchema, bytes).reason),
      fields: found('google.rpc.BadRequest').flatMap((bytes) =>
        fromBinary(BadRequestSchema, bytes).fieldViolations.map(({ field }) => field),
      ),
    };
  }

  const invalid = (reason: string, field: string) => ({
    code: 'invalid_argument',
    reasons: [reason],
    fields: [field],
  });

  for (const [place, [service, method, request, field]] of REFUSED.entries()) {
    test(`${method} refuses ${field} (input ${place})`, async () => {
      assert.deepEqual(await refusal(service, method, request), invalid('INVALID_FIELD', field));
    });
  }

  test('a report at every limit is taken', async () => {
    const limit = '9007199254740992';
    const edge = capture({
      revisitOfCaptureId: '',
      payloadSha256: 'a'.repeat(64),
      statusCode: 999,
      bodyBytes: limit,
      records: Array(8).fill({ type: 'RECORD_TYPE_RESPONSE', offset: limit, length: limit }),
    });
    const times = { endedAgo: '86400s', responseTime: '0s', totalTime: '0s' };
    const robots = { outcome: 'OUTCOME_FETCHED', content: Buffer.alloc(512_000).toString('base64') };
    const attempts = [attempt({ capture: edge, ...times, detail: 'x'.repeat(4096), bytesReceived: limit })];
    const answer = await call('fetcher', 'Complete', { reports: [report({ attempts, robots, idle: '0s' })] });
    assert.deepEqual(answer, { leases: [{ status: 'LEASE_STATUS_HELD' }] });
  });

  test('NUL characters in what a site sent do not fail a report, and are dropped', async () => {
    const headers = [{ name: 'x-\0a', value: 'b\0' }];
    const document = { title: '\0t', links: ['http://h.test/\0'] };
    const request = withAttempt({
      detail: 'a\0b',
      capture: capture({ headers, userAgent: 'u\0' }),
      document,
    });
    const answer = await call('fetcher', 'Complete', request);
    assert.equal(answer.code, undefined);
    const taken = deps.reports.at(-1)?.attempts[0];
    assert.equal(taken?.detail, 'ab');
    assert.deepEqual(taken.capture?.headers, [{ name: 'x-a', value: 'b' }]);
    assert.equal(taken.capture.userAgent, 'u');
    assert.deepEqual(taken.document, { title: 't', links: ['http://h.test/'] });
  });

  test('a lease is reported once in a call, whatever generation its tokens name', async () => {
    for (const leaseToken of [TOKEN, `2.${UUID}`]) {
      const request = {
        reports: [report(), report({ leaseToken: `1.${OTHER_UUID}` }), report({ leaseToken })],
      };
      assert.deepEqual(
        await refusal('fetcher', 'Complete', request),
        invalid('DUPLICATE_LEASE', 'reports[2].lease_token'),
      );
    }
  });

  test('a request is reported once in a report, whatever its spelling', async () => {
    for (const requestId of [UUID, UUID.toUpperCase()]) {
      const attempts = [attempt(), attempt({ requestId })];
      assert.deepEqual(
        await refusal('fetcher', 'Complete', { reports: [report({ attempts })] }),
        invalid('DUPLICATE_REQUEST', 'reports[0].attempts[1].request_id'),
      );
    }
  });

  test('an answer is reported with its capture, and a failure needs none', async () => {
    for (const outcome of ['FETCHED', 'NOT_MODIFIED', 'REDIRECTED', 'HTTP_RETRYABLE']) {
      const attempts = [
        { requestId: OTHER_UUID, outcome: 'OUTCOME_RESET' },
        { requestId: UUID, outcome: `OUTCOME_${outcome}` },
      ];
      assert.deepEqual(
        await refusal('fetcher', 'Complete', { reports: [report({ attempts })] }),
        invalid('CAPTURE_MISSING', 'reports[0].attempts[1].capture'),
      );
    }
    const attempts = [{ requestId: UUID, outcome: 'OUTCOME_TIMED_OUT' }];
    assert.equal((await call('fetcher', 'Complete', { reports: [report({ attempts })] })).code, undefined);
  });

  test('an item of a Submit is refused on its own, with its field', async () => {
    const url = 'http://h.test/';
    const items: [object, string | undefined][] = [
      [{ url }, undefined],
      [{ url, reason: 99 }, 'reason'],
      [{ url, extract: [0] }, 'extract'],
      [{ url, extract: [99] }, 'extract'],
      [{ url, extract: Array(17).fill('EXTRACTION_TEXT') }, 'extract'],
      [{ url, maxAge: '315360001s' }, 'max_age'],
      [{ url, label: 'a\x7f' }, 'label'],
      [{ url, tier: 'a\u202e' }, 'tier'],
      [{ url: 'http://*.h.test/' }, 'url'],
    ];
    const answer = await call('crawl', 'Submit', { requestId: 'r', requests: items.map(([item]) => item) });
    const outcomes = answer['outcomes'] as readonly { refusal?: string; field?: string }[];
    assert.deepEqual(
      outcomes.map(({ field }) => field),
      items.map(([, field]) => field),
    );
    assert.equal(outcomes[1]?.refusal, 'REFUSAL_REASON_INVALID_OPTION');
    assert.equal(outcomes[8]?.refusal, 'REFUSAL_REASON_INVALID_URL');
  });

  test('the platform’s own name is no tenant’s', async () => {
    const request = { tenantId: 'platform', displayName: 'P', purpose: 'SEARCH' };
    assert.deepEqual(
      await refusal('operator', 'CreateTenant', request),
      invalid('TENANT_RESERVED', 'tenant_id'),
    );
  });
});
