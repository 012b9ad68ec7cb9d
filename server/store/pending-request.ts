import { urlHash } from '@decorum/policy/url/url-hash.ts';
import type { Transaction } from './database.ts';

/** Where a pending request is, in the contract's words. */
export type PendingState = 'RESOLVING' | 'WAITING' | 'LEASED';

/** A pending request as its tenant sees it. */
export type PendingRequest = {
  readonly requestId: string;
  /** The canonical URL that was asked for; a redirect may have led further. */
  readonly url: string;
  readonly state: PendingState;
  readonly band: number;
  readonly reason: string;
  readonly tier: string;
  readonly label: string;
  readonly attempts: number;
  readonly submittedAt: Date;
  /** null: on its way to where a redirect leads. */
  readonly dueAt: Date | null;
  readonly deadline: Date;
};

/** The columns of `PendingRequest`, from `request r` and its `host h`; `leasedUrls` are those being fetched now. */
export function pendingColumns(sql: Transaction, leasedUrls: readonly string[]) {
  return sql`
    r.request_id as "requestId", r.asked_url as url, ${pendingState(sql, leasedUrls)} as state, r.band, r.reason, r.tier,
    r.label, r.attempts, r.submitted_at as "submittedAt", nullif(r.due_at, 'infinity') as "dueAt", r.deadline
  `;
}

/** The state of `request r` on `host h`. A request that is not due yet is answered by no fetch under way. */
export function pendingState(sql: Transaction, leasedUrls: readonly string[]) {
  const hexes = leasedUrls.map((url) => Buffer.from(urlHash(url)).toString('hex'));
  return sql`
    case
      when r.due_at <= decorum.now() and r.url_hash in (select decode(unnest(${hexes}::text[]), 'hex')) then 'LEASED'
      when h.dial_address is null or h.expires_at <= decorum.now() then 'RESOLVING'
      else 'WAITING'
    end
  `;
}
