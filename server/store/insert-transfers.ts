import type { Transaction } from './database.ts';
import type { RedirectHop } from './insert-results.ts';

/** A request that a redirect sends on. */
export type NewTransfer = {
  readonly requestId: string;
  readonly url: string;
  readonly redirects: readonly RedirectHop[];
};

/**
 * Takes redirected requests out of their queue and leaves them to a transaction of its own that moves them: two that
 * redirect to each other's sites would deadlock otherwise.
 */
export async function insertTransfers(sql: Transaction, transfers: readonly NewTransfer[]): Promise<void> {
  if (transfers.length === 0) return;
  const rows = sql.json(transfers);
  await sql`
    with moved as (
      update request r set due_at = 'infinity', redirects = n.redirects,
        led_from_capture_id = (n.redirects->-1->>'captureId')::uuid
      from jsonb_to_recordset(${rows}) as n("requestId" uuid, redirects jsonb)
      where r.request_id = n."requestId"
      returning r.request_id
    )
    insert into transfer (request_id, url)
    select n."requestId", n.url from jsonb_to_recordset(${rows}) as n("requestId" uuid, url text)
    join moved on moved.request_id = n."requestId"
    on conflict (request_id) do update set url = excluded.url
  `;
}
