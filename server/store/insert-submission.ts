import type { Transaction } from './database.ts';

/** An earlier batch under the same id. */
export type StoredSubmission = { readonly payloadSha256: Uint8Array; readonly outcomes: Uint8Array };

/**
 * Claims a batch id for the tenant. Undefined when it is new; else what the batch was answered, after its transaction has
 * ended. Outcomes are written by `recordOutcomes` before the commit.
 */
export async function insertSubmission(
  sql: Transaction,
  tenantId: string,
  requestId: string,
  payloadSha256: Uint8Array,
): Promise<StoredSubmission | undefined> {
  const inserted = await sql`
    insert into submission (tenant_id, request_id, payload_sha256, outcomes, submitted_at)
    values (${tenantId}, ${requestId}, ${payloadSha256}, '', decorum.now())
    on conflict do nothing
    returning 1
  `;
  if (inserted.length > 0) return undefined;
  const [stored] = await sql<StoredSubmission[]>`
    select payload_sha256 as "payloadSha256", outcomes from submission
    where tenant_id = ${tenantId} and request_id = ${requestId}
  `;
  return stored;
}

/** Keeps what a claimed batch is answered. */
export async function recordOutcomes(
  sql: Transaction,
  tenantId: string,
  requestId: string,
  outcomes: Uint8Array,
): Promise<void> {
  await sql`
    update submission set outcomes = ${outcomes} where tenant_id = ${tenantId} and request_id = ${requestId}
  `;
}
