import type { ResultKind } from '@decorum/policy/retry/attempt-table.ts';
import type { Transaction } from './database.ts';
import { isOfStream, type ResultStreamKey } from './result-stream-key.ts';

/** What is told of a result through the broker. */
export type NoticeRow = {
  readonly number: bigint;
  readonly requestId: string;
  readonly kind: ResultKind;
  readonly captureId: string | null;
  readonly statusCode: number | null;
  readonly bodyBytes: bigint | null;
  readonly totalMs: number | null;
  readonly label: string;
};

/** The next numbered results after `after`, in order, at most `resultsMax`. */
export async function loadNotices(
  sql: Transaction,
  key: ResultStreamKey,
  after: bigint,
  resultsMax: number,
): Promise<NoticeRow[]> {
  return sql<NoticeRow[]>`
    select r.number, r.request_id as "requestId", r.kind, r.capture_id as "captureId", c.status_code as "statusCode",
      c.body_bytes as "bodyBytes", r.total_ms as "totalMs", r.label
    from (
      select number, request_id, kind, capture_id, total_ms, label from result
      where ${isOfStream(sql, key)} and number > ${after} order by number limit ${resultsMax}
    ) r
    left join capture c on c.capture_id = r.capture_id
    order by r.number
  `;
}
