import type { Transaction } from './database.ts';

/** A redirected request on its way. */
export type Transfer = {
  readonly requestId: string;
  readonly url: string;
  readonly tenantId: string;
  readonly band: number;
  /** The site it leaves. */
  readonly site: string;
};

/** Takes transfers, oldest first, at most `limit`. Those whose request has ended meanwhile vanish. */
export async function takeTransfers(sql: Transaction, limit: number): Promise<Transfer[]> {
  return sql<Transfer[]>`
    with taken as (
      select request_id from transfer order by created_at limit ${limit} for update skip locked
    ), gone as (
      delete from transfer t using taken where t.request_id = taken.request_id returning t.request_id, t.url
    )
    select g.request_id as "requestId", g.url, r.tenant_id as "tenantId", r.band, r.site
    from gone g join request r on r.request_id = g.request_id
  `;
}

/** Where a transferred request goes. */
export type Destination = {
  readonly requestId: string;
  readonly url: string;
  readonly urlHash: Uint8Array;
  readonly urlKey: Uint8Array;
  readonly keyVersion: number;
  readonly site: string;
  readonly origin: string;
};

/** Puts a request into its new queue, due at once. The queue is armed before. */
export async function moveRequest(sql: Transaction, to: Destination): Promise<void> {
  await sql`
    update request set url = ${to.url}, url_hash = ${to.urlHash}, url_key = ${to.urlKey}, key_version = ${to.keyVersion},
      site = ${to.site}, origin = ${to.origin}, hop = hop + 1, due_at = decorum.now()
    where request_id = ${to.requestId}
  `;
}
