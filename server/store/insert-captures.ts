import type { OptOutSignal } from '@decorum/policy/optout/decide-delivery.ts';
import { DomainError } from '../runtime/domain-error.ts';
import type { Transaction } from './database.ts';

/** A stored exchange and where its bytes are. */
export type NewCapture = {
  readonly captureId: string;
  readonly segmentId: string;
  readonly url: string;
  readonly urlHash: Uint8Array;
  readonly urlKey: Uint8Array;
  readonly keyVersion: number;
  readonly site: string;
  /** Who appended it: the writer of the segment. */
  readonly workerId: string;
  /** Milliseconds since the exchange began. */
  readonly startedAgoMs: number;
  readonly statusCode: number;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly contentType: string;
  /** Hex. */
  readonly payloadSha256: string;
  readonly payloadSha1: string;
  readonly bodyBytes: bigint;
  readonly truncation: 'LENGTH' | 'TIME' | 'DISCONNECT' | null;
  readonly closeDelimited: boolean;
  readonly revisitOfCaptureId: string | null;
  readonly address: string;
  readonly robotsVersion: string;
  readonly robotsLine: string;
  readonly policyVersion: bigint;
  readonly signals: readonly OptOutSignal[];
  readonly userAgent: string;
  readonly ledFromCaptureId: string | null;
  readonly records: readonly StoredRecord[];
};

/** A gzip member of a segment. */
export type StoredRecord = {
  readonly type: 'request' | 'response' | 'revisit' | 'metadata';
  readonly offset: bigint;
  readonly length: bigint;
};

/** Writes captures with their records. A capture of a segment that does not exist is an error: its bytes are nowhere. */
export async function insertCaptures(sql: Transaction, captures: readonly NewCapture[]): Promise<void> {
  if (captures.length === 0) return;
  await refuseForeign(sql, captures);
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  const rows = sql.json(
    captures.map(({ records, ...capture }) => ({
      ...capture,
      urlHash: hex(capture.urlHash),
      urlKey: hex(capture.urlKey),
      bodyBytes: capture.bodyBytes.toString(),
      policyVersion: capture.policyVersion.toString(),
      records: records.map(({ type, offset, length }) => ({
        type,
        offset: `${offset}`,
        length: `${length}`,
      })),
    })),
  );
  await sql`
    insert into capture (
      capture_id, segment_id, url, url_hash, url_key, key_version, site, fetched_at, status_code, headers, content_type,
      payload_sha256, payload_sha1, body_bytes, truncation, close_delimited, revisit_of_capture_id, residency, address,
      robots_version, robots_line, policy_version, signals, user_agent, led_from_capture_id
    )
    select n."captureId", n."segmentId", n.url, decode(n."urlHash", 'hex'), decode(n."urlKey", 'hex'), n."keyVersion",
      n.site, decorum.now() - make_interval(secs => n."startedAgoMs" / 1000.0), n."statusCode", n.headers,
      n."contentType", decode(nullif(n."payloadSha256", ''), 'hex'), n."payloadSha1", n."bodyBytes", n.truncation,
      n."closeDelimited", n."revisitOfCaptureId", g.residency, n.address, nullif(n."robotsVersion", ''), n."robotsLine",
      n."policyVersion", n.signals, n."userAgent", n."ledFromCaptureId"
    from jsonb_to_recordset(${rows}) as n(
      "captureId" uuid, "segmentId" uuid, url text, "urlHash" text, "urlKey" text, "keyVersion" smallint, site text,
      "startedAgoMs" float8, "statusCode" smallint, headers jsonb, "contentType" text, "payloadSha256" text,
      "payloadSha1" text, "bodyBytes" bigint, truncation text, "closeDelimited" boolean, "revisitOfCaptureId" uuid,
      address text, "robotsVersion" text, "robotsLine" text, "policyVersion" bigint, signals jsonb, "userAgent" text,
      "ledFromCaptureId" uuid
    )
    join segment g on g.segment_id = n."segmentId"
  `;
  await sql`
    insert into capture_record (segment_id, record_offset, record_length, record_type, capture_id)
    select n."segmentId", r.offset, r.length, r.type, n."captureId"
    from jsonb_to_recordset(${rows}) as n("captureId" uuid, "segmentId" uuid, records jsonb)
    join segment g on g.segment_id = n."segmentId"
    cross join lateral jsonb_to_recordset(n.records) as r(type text, "offset" bigint, length bigint)
  `;
}

/**
 * D2, D3: a capture lies in a segment of the worker that reports it, within what that segment holds, and nobody has
 * reported its id or its place before. (What a repeated report says again was left out before.)
 */
async function refuseForeign(sql: Transaction, captures: readonly NewCapture[]): Promise<void> {
  const places = captures.flatMap(({ captureId, segmentId, workerId, records }) =>
    records.map(({ offset, length }) => ({
      captureId,
      segmentId,
      workerId,
      offset: `${offset}`,
      length: `${length}`,
    })),
  );
  const [foreign] = await sql<{ reason: string | null }[]>`
    with n as (
      select * from jsonb_to_recordset(${sql.json(places)}) as n(
        "captureId" uuid, "segmentId" uuid, "workerId" text, "offset" bigint, length bigint
      )
    )
    select case
      when exists (select from capture c where c.capture_id = any(${captures.map(({ captureId }) => captureId)}))
        then 'CAPTURE_EXISTS'
      when exists (select from n where not exists (
        select from segment s where s.segment_id = n."segmentId" and s.worker_id = n."workerId"
          and (s.state = 'open' or n."offset" + n.length <= s.bytes)
      )) then 'SEGMENT_UNKNOWN'
      when exists (select from n join capture_record r on r.segment_id = n."segmentId"
        and r.record_offset < n."offset" + n.length and r.record_offset + r.record_length > n."offset"
      ) then 'RECORD_EXISTS'
    end as reason
  `;
  if (foreign?.reason === null || foreign === undefined) return;
  throw new DomainError({
    kind: 'failed_precondition',
    reason: foreign.reason,
    message: 'a capture must lie, once, in a segment that its worker opened and appended to',
  });
}
