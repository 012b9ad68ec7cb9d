import type { OptOutSignal } from '@decorum/policy/optout/decide-delivery.ts';

/** A capture as it is stored, without where its bytes are. */
export type CaptureRow = {
  readonly captureId: string;
  readonly url: string;
  readonly fetchedAt: Date;
  readonly statusCode: number;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly contentType: string;
  /** null: no payload was seen. */
  readonly payloadSha256: Uint8Array | null;
  readonly payloadSha1: string;
  readonly bodyBytes: bigint;
  readonly truncation: 'LENGTH' | 'TIME' | 'DISCONNECT' | null;
  readonly closeDelimited: boolean;
  readonly revisitOfCaptureId: string | null;
  readonly residency: string;
  readonly address: string;
  readonly robotsVersion: string | null;
  readonly robotsLine: string;
  readonly policyVersion: bigint;
  readonly signals: readonly OptOutSignal[];
  readonly userAgent: string;
  readonly ledFromCaptureId: string | null;
};

/** The columns of a capture `c`, for every statement that answers some. */
export const CAPTURE_COLUMNS = `
  c.capture_id as "captureId", c.url, c.fetched_at as "fetchedAt", c.status_code as "statusCode", c.headers,
  c.content_type as "contentType", c.payload_sha256 as "payloadSha256", c.payload_sha1 as "payloadSha1",
  c.body_bytes as "bodyBytes", c.truncation, c.close_delimited as "closeDelimited",
  c.revisit_of_capture_id as "revisitOfCaptureId", c.residency, c.address, c.robots_version as "robotsVersion",
  c.robots_line as "robotsLine", c.policy_version as "policyVersion", c.signals, c.user_agent as "userAgent",
  c.led_from_capture_id as "ledFromCaptureId"
`;
