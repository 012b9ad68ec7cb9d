import type { ResultKind } from '@decorum/policy/retry/attempt-table.ts';
import type { RedirectHop } from './insert-results.ts';
import type { ResultLane } from './result-stream-key.ts';

/** A result as it is stored. */
export type ResultRow = {
  /** null: not numbered yet. */
  readonly number: bigint | null;
  readonly lane: ResultLane;
  readonly cell: number;
  readonly generation: number;
  readonly requestId: string;
  readonly kind: ResultKind;
  readonly url: string;
  readonly finalUrl: string;
  readonly redirects: readonly RedirectHop[];
  readonly outcome: string | null;
  readonly detail: string;
  readonly attempts: number;
  readonly captureId: string | null;
  /** What was extracted, as the contract's JSON. */
  readonly document: object | null;
  readonly coalesced: boolean;
  readonly reason: string;
  readonly band: number;
  readonly tier: string;
  readonly label: string;
  readonly clientRef: Uint8Array | null;
  readonly takedownId: string | null;
  readonly submittedAt: Date;
  readonly leasedAt: Date | null;
  readonly fetchedAt: Date | null;
  readonly completedAt: Date;
  readonly publishedAt: Date | null;
  readonly responseMs: number | null;
  readonly totalMs: number | null;
};
/** The columns of a result `r`, for every statement that answers some. */
export const RESULT_COLUMNS = `
  r.number, r.lane, r.cell, r.generation, r.request_id as "requestId", r.kind, r.url, r.final_url as "finalUrl",
  r.redirects, r.outcome, r.detail, r.attempts, r.capture_id as "captureId", r.document, r.coalesced, r.reason, r.band,
  r.tier, r.label, r.client_ref as "clientRef", r.takedown_id as "takedownId", r.submitted_at as "submittedAt",
  r.leased_at as "leasedAt", r.fetched_at as "fetchedAt", r.completed_at as "completedAt",
  r.published_at as "publishedAt", r.response_ms as "responseMs", r.total_ms as "totalMs"
`;
