import type { Transaction } from './database.ts';

/** Which captures are listed. */
export type CaptureSelection = {
  readonly tenantId: string;
  /** Of this canonical URL only. */
  readonly urlHash: Uint8Array | undefined;
  readonly fetchedAfter: Date | undefined;
  readonly fetchedBefore: Date | undefined;
  /** Goes on after this one. */
  readonly afterCaptureId: string | undefined;
};

/** A capture that was found, and about as many bytes as it has in an answer. */
export type FoundCapture = { readonly captureId: string; readonly bytes: number };

/** Captures that the tenant holds, the newest first (ids of a cell sort by time), at most `capturesMax`. */
export async function findCaptures(
  sql: Transaction,
  selection: CaptureSelection,
  capturesMax: number,
): Promise<FoundCapture[]> {
  const { tenantId, urlHash, fetchedAfter, fetchedBefore, afterCaptureId } = selection;
  return sql<FoundCapture[]>`
    select c.capture_id as "captureId",
      (1024 + octet_length(c.url) + octet_length(c.headers::text) + octet_length(c.signals::text))::float8 as bytes
    from holder h join capture c on c.capture_id = h.capture_id
    where h.tenant_id = ${tenantId}
      ${urlHash === undefined ? sql`` : sql`and c.url_hash = ${urlHash}`}
      ${fetchedAfter === undefined ? sql`` : sql`and c.fetched_at > ${fetchedAfter}`}
      ${fetchedBefore === undefined ? sql`` : sql`and c.fetched_at < ${fetchedBefore}`}
      ${afterCaptureId === undefined ? sql`` : sql`and h.capture_id < ${afterCaptureId}`}
    order by h.capture_id desc
    limit ${capturesMax}
  `;
}
