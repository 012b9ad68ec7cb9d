import type { Transaction } from './database.ts';
import type { RedirectHop } from './insert-results.ts';

/** One URL that an attempt was made at. */
export type AttemptedUrl = {
  /** The caller's own number for it. */
  readonly place: number;
  readonly requestId: string;
  readonly urlHash: Uint8Array;
  /** Milliseconds since the attempt began. */
  readonly startedAgoMs: number;
};

/** A request that an attempt speaks for. */
export type WaitingRequest = {
  readonly place: number;
  readonly requestId: string;
  readonly tenantId: string;
  readonly purpose: string;
  readonly askedUrl: string;
  readonly url: string;
  readonly band: number;
  readonly reason: string;
  readonly tier: string;
  readonly label: string;
  readonly clientRef: Uint8Array | null;
  readonly attempts: number;
  readonly hop: number;
  readonly redirects: readonly RedirectHop[];
  readonly submittedAt: Date;
};

/**
 * The requests of all tenants that an attempt speaks for: the leased one, and those for the same canonical URL that were
 * due, or wait to be tried again, and for whom what was fetched is fresh enough. Read without locks; whoever removes a request first ends it.
 */
export async function loadWaitingRequests(
  sql: Transaction,
  attempted: readonly AttemptedUrl[],
): Promise<WaitingRequest[]> {
  if (attempted.length === 0) return [];
  return sql<WaitingRequest[]>`
    select n.place, ${requestColumns(sql)}
    from unnest(
      ${attempted.map(({ place }) => place)}::int[], ${attempted.map(({ requestId }) => requestId)}::uuid[],
      ${attempted.map(({ urlHash }) => Buffer.from(urlHash).toString('hex'))}::text[],
      ${attempted.map(({ startedAgoMs }) => startedAgoMs)}::float8[]
    ) as n(place, request_id, url_hash, started_ago_ms)
    join request r on r.url_hash = decode(n.url_hash, 'hex')
    join tenant t on t.tenant_id = r.tenant_id
    where (r.due_at <= decorum.now() or (r.attempts > 0 and r.due_at < 'infinity')) and (
      r.request_id = n.request_id
      or r.submitted_at - coalesce(r.max_age, interval '0')
        <= decorum.now() - make_interval(secs => n.started_ago_ms / 1000.0)
    )
    order by n.place, r.submitted_at, r.request_id
  `;
}

/** The same of requests by id. */
export async function loadRequestsById(
  sql: Transaction,
  requestIds: readonly string[],
): Promise<WaitingRequest[]> {
  return sql<WaitingRequest[]>`
    select 0 as place, ${requestColumns(sql)}
    from request r join tenant t on t.tenant_id = r.tenant_id
    where r.request_id = any(${requestIds as string[]})
  `;
}

/** The columns of `WaitingRequest` but `place`, from `request r` and its `tenant t`. */
export function requestColumns(sql: Transaction) {
  return sql`
    r.request_id as "requestId", r.tenant_id as "tenantId", t.purpose, r.asked_url as "askedUrl", r.url, r.band, r.reason,
    r.tier, r.label, r.client_ref as "clientRef", r.attempts, r.hop, r.redirects, r.submitted_at as "submittedAt"
  `;
}
