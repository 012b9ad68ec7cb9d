import type { ResultKind } from '@decorum/policy/retry/attempt-table.ts';
import type { Transaction } from './database.ts';

/** The bands from which on a result goes to the urgent lane. */
export const URGENT_BAND_MIN = 6;

/** A result as it is written; the publisher numbers it. */
export type NewResult = {
  readonly requestId: string;
  readonly tenantId: string;
  readonly kind: ResultKind;
  readonly outcome: string | null;
  readonly detail: string;
  readonly url: string;
  readonly finalUrl: string;
  readonly redirects: readonly RedirectHop[];
  readonly attempts: number;
  readonly captureId: string | null;
  readonly document: object | null;
  readonly coalesced: boolean;
  readonly reason: string;
  readonly band: number;
  readonly tier: string;
  readonly label: string;
  readonly clientRef: Uint8Array | null;
  /** null: now. */
  readonly submittedAt: Date | null;
  readonly leasedAt: Date | null;
  readonly fetchedAt: Date | null;
  readonly responseMs: number | null;
  readonly totalMs: number | null;
};

/** One redirect of a chain. */
export type RedirectHop = {
  readonly url: string;
  readonly statusCode: number;
  readonly captureId: string | null;
};

/**
 * Writes results, and with each the tenant's right to its captures (T1). The same transaction removes the requests, so
 * that each ends exactly once (D1).
 */
export async function insertResults(
  sql: Transaction,
  { cell, generation }: { readonly cell: number; readonly generation: number },
  results: readonly NewResult[],
): Promise<void> {
  if (results.length === 0) return;
  const rows = sql.json(
    results.map((result) => ({
      ...result,
      document: result.document as never,
      redirects: result.redirects as never,
      clientRef: result.clientRef === null ? null : Buffer.from(result.clientRef).toString('hex'),
      lane: result.band >= URGENT_BAND_MIN ? 'urgent' : 'bulk',
      submittedAt: result.submittedAt?.toISOString() ?? null,
      leasedAt: result.leasedAt?.toISOString() ?? null,
      fetchedAt: result.fetchedAt?.toISOString() ?? null,
    })),
  );
  await sql`
    insert into holder (tenant_id, capture_id)
    select distinct n."tenantId", c.capture_id
    from jsonb_to_recordset(${rows}) as n("tenantId" text, "captureId" uuid, redirects jsonb)
    cross join lateral (
      select n."captureId" as capture_id
      union select (hop->>'captureId')::uuid from jsonb_array_elements(n.redirects) as hop
    ) c
    where c.capture_id is not null
    order by 1, 2
    on conflict do nothing
  `;
  // A revisit's body lies in another capture, which is held with it.
  await sql`
    insert into holder (tenant_id, capture_id)
    select distinct n."tenantId", c.revisit_of_capture_id
    from jsonb_to_recordset(${rows}) as n("tenantId" text, "captureId" uuid)
    join capture c on c.capture_id = n."captureId"
    where c.revisit_of_capture_id is not null
    order by 1, 2
    on conflict do nothing
  `;
  await sql`
    insert into result (
      request_id, tenant_id, lane, cell, generation, kind, outcome, detail, url, final_url, redirects, attempts,
      capture_id, document, coalesced, reason, band, tier, label, client_ref, submitted_at, leased_at, fetched_at,
      completed_at, response_ms, total_ms
    )
    select
      n."requestId", n."tenantId", n.lane, ${cell}, ${generation}, n.kind, n.outcome, n.detail, n.url, n."finalUrl",
      n.redirects, n.attempts, n."captureId", n.document, n.coalesced, n.reason, n.band, n.tier, n.label,
      decode(n."clientRef", 'hex'), coalesce(n."submittedAt", decorum.now()), n."leasedAt", n."fetchedAt",
      decorum.now(), n."responseMs", n."totalMs"
    from jsonb_to_recordset(${rows}) as n(
      "requestId" uuid, "tenantId" text, lane text, kind text, outcome text, detail text, url text, "finalUrl" text,
      redirects jsonb, attempts smallint, "captureId" uuid, document jsonb, coalesced boolean, reason text, band smallint,
      tier text, label text, "clientRef" text, "submittedAt" timestamptz, "leasedAt" timestamptz,
      "fetchedAt" timestamptz, "responseMs" integer, "totalMs" integer
    )
  `;
}
