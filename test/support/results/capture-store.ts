import { randomBytes } from 'node:crypto';
import { CAPTURE_ID_RANDOM_BYTES, buildCaptureId } from '@decorum/policy/digest/capture-id.ts';
import { COLLAPSE_RULES_VERSION } from '@decorum/policy/url/collapse-url.ts';
import { urlHash } from '@decorum/policy/url/url-hash.ts';
import { urlKey } from '@decorum/policy/url/url-key.ts';
import { buildCaptureRecords, type RevisitInput } from '@decorum/server/archive/build-capture-records.ts';
import { createDirectoryArchive, type Archive } from '@decorum/server/archive/directory-archive.ts';
import { insertCaptures, type NewCapture } from '@decorum/server/store/insert-captures.ts';
import { openSegment } from '@decorum/server/store/segments.ts';
import { transact } from '@decorum/server/store/transact.ts';
import {
  CAPTURED_AT,
  createArchiveDir,
  openTestSegment,
  spoolBody,
  toCaptureInput,
} from '../archive/segments.ts';
import type { TestDatabase } from '../database.ts';
import { newResult, writeResults } from './fixtures.ts';

/** An exchange to be stored, and the tenants whose results name it. */
export type TestExchange = {
  readonly tenants: readonly string[];
  readonly url?: string;
  readonly body?: Uint8Array | string;
  /** Field lines besides `Content-Type`. */
  readonly fields?: readonly (readonly [string, string])[];
  readonly contentType?: string;
  readonly revisitOf?: string;
  readonly change?: Partial<NewCapture>;
};

/** An archive with one segment that stays open, and its rows in the database. */
export type CaptureStore = AsyncDisposable & {
  readonly archive: Archive;
  readonly dir: string;
  /** Stores an exchange with a result per tenant; answers the capture's id. */
  readonly store: (exchange: TestExchange) => Promise<string>;
};

/** Opens an empty one. */
export async function createCaptureStore(database: TestDatabase): Promise<CaptureStore> {
  const place = await createArchiveDir();
  const { writer } = await openTestSegment(place.dir);
  const { segmentId } = writer;
  const segment = { segmentId, workerId: 'w', residency: 'default', leaseMs: 60_000 };
  await openSegment(database.general, segment);
  let stored = 0;

  return {
    archive: createDirectoryArchive(place.dir),
    dir: place.dir,
    async store({ tenants, url = `https://a.test/${stored}`, contentType = 'text/html', ...exchange }) {
      stored += 1;
      const captureId = buildCaptureId({
        cell: 0,
        capturedAtMs: CAPTURED_AT.getTime() + stored,
        random: randomBytes(CAPTURE_ID_RANDOM_BYTES),
      });
      const fields = [['Content-Type', contentType], ...(exchange.fields ?? [])] as const;
      const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      await using spooled = await spoolBody(place.dir, [Buffer.from(exchange.body ?? '')]);
      const members = await buildCaptureRecords(
        toCaptureInput(spooled.body, {
          captureId,
          targetUri: url,
          responseHead: Buffer.from(`HTTP/1.1 200 OK\r\n${lines}\r\n`),
          revisit: exchange.revisitOf === undefined ? null : toRevisit(exchange.revisitOf, url),
        }),
      );
      const locations = await writer.append(members);
      await writer.sync();
      const { sha256, sha1, byteLength } = spooled.body;
      const row: NewCapture = {
        ...{ captureId, segmentId, url, contentType, payloadSha1: sha1 },
        urlHash: urlHash(url),
        urlKey: urlKey(url),
        keyVersion: COLLAPSE_RULES_VERSION,
        site: 'a.test',
        workerId: 'w',
        startedAgoMs: 0,
        statusCode: 200,
        headers: fields.map(([name, value]) => ({ name, value })),
        payloadSha256: sha256.slice('sha256:'.length),
        bodyBytes: BigInt(byteLength),
        truncation: null,
        closeDelimited: false,
        revisitOfCaptureId: exchange.revisitOf ?? null,
        address: '127.64.0.1',
        robotsVersion: '',
        robotsLine: '',
        policyVersion: 1n,
        signals: [],
        userAgent: 'test',
        ledFromCaptureId: null,
        records: locations.map(({ recordType, offset, length }) => ({
          type: recordType as NewCapture['records'][number]['type'],
          offset: BigInt(offset),
          length: BigInt(length),
        })),
        ...exchange.change,
      };
      await transact(database.control, (sql) => insertCaptures(sql, [row]));
      const results = tenants.map((tenant) =>
        newResult(tenant, { kind: 'PAGE', captureId, url, finalUrl: url }),
      );
      await writeResults(database, results);
      return captureId;
    },
    async [Symbol.asyncDispose]() {
      await writer.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

function toRevisit(captureId: string, targetUri: string): RevisitInput {
  const payloadDigest = `sha256:${'0'.repeat(64)}`;
  return { profile: 'server-not-modified', captureId, targetUri, capturedAt: CAPTURED_AT, payloadDigest };
}
