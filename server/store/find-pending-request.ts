import type { Transaction } from './database.ts';
import { pendingColumns, type PendingRequest } from './pending-request.ts';

/** A pending request with what its last attempt met. */
export type TriedRequest = PendingRequest & { readonly lastOutcome: string | null };

/**
 * A tenant's pending request that is at a canonical URL now, the one that asked for it before one that a redirect led
 * there; undefined when there is none.
 */
export async function findPendingRequest(
  sql: Transaction,
  tenantId: string,
  urlHash: Uint8Array,
  leasedUrls: readonly string[],
): Promise<TriedRequest | undefined> {
  const [row] = await sql<TriedRequest[]>`
    select ${pendingColumns(sql, leasedUrls)}, r.last_outcome as "lastOutcome"
    from request r
    join origin o on o.origin = r.origin
    join host h on h.host = o.host
    where r.tenant_id = ${tenantId} and r.url_hash = ${urlHash}
    order by r.hop, r.due_at limit 1
  `;
  return row;
}
