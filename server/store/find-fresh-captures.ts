import type { OptOutSignal } from '@decorum/policy/optout/decide-delivery.ts';
import type { Transaction } from './database.ts';

/** A stored exchange that is young enough to be an answer. */
export type FreshCapture = {
  readonly requestId: string;
  readonly captureId: string;
  readonly fetchedAt: Date;
  readonly signals: readonly OptOutSignal[];
};

/** For each request the youngest capture of its URL within its `maxAgeMs`, whoever it was fetched for. */
export async function findFreshCaptures(
  sql: Transaction,
  requests: readonly {
    readonly requestId: string;
    readonly urlHash: Uint8Array;
    readonly maxAgeMs: number;
  }[],
): Promise<FreshCapture[]> {
  if (requests.length === 0) return [];
  return sql<FreshCapture[]>`
    select n.request_id as "requestId", c.capture_id as "captureId", c.fetched_at as "fetchedAt", c.signals
    from unnest(
      ${requests.map(({ requestId }) => requestId)}::uuid[],
      ${requests.map(({ urlHash }) => Buffer.from(urlHash).toString('hex'))}::text[],
      ${requests.map(({ maxAgeMs }) => maxAgeMs)}::float8[]
    ) as n(request_id, url_hash, max_age_ms)
    cross join lateral decorum.fresh_capture(
      decode(n.url_hash, 'hex'), make_interval(secs => n.max_age_ms / 1000.0)
    ) c
  `;
}
