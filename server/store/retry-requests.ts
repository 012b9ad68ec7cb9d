import type { Transaction } from './database.ts';

/** A request that is tried again. */
export type RetriedRequest = {
  readonly requestId: string;
  readonly usesAttempt: boolean;
  readonly delayMs: number;
  readonly outcome: string;
  readonly detail: string;
};

/** Makes requests due again after their delay and keeps what they last met. */
export async function retryRequests(sql: Transaction, retries: readonly RetriedRequest[]): Promise<void> {
  if (retries.length === 0) return;
  const rows = sql.json([...retries].sort((a, b) => (a.requestId < b.requestId ? -1 : 1)));
  await sql`
    update request r set
      attempts = r.attempts + case when n."usesAttempt" then 1 else 0 end,
      due_at = case when n."delayMs" > 0 then decorum.now() + make_interval(secs => n."delayMs" / 1000.0) else r.due_at end,
      last_outcome = n.outcome, last_detail = n.detail
    from jsonb_to_recordset(${rows}) as n(
      "requestId" uuid, "usesAttempt" boolean, "delayMs" float8, outcome text, detail text
    )
    where r.request_id = n."requestId"
  `;
}
