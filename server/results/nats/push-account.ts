import type { NatsConnection } from '@nats-io/transport-node';

/** How long nats-server may take to store an account, ms. */
const PUSH_MS_MAX = 5000;

/**
 * Hands an account's JWT to nats-server, which stores it and applies it at once to the clients that are connected.
 * Idempotent; the last one pushed for an account is the one in force. `system` is a connection to SYS.
 * Throws when the server refuses or does not answer within five seconds.
 */
export async function pushAccount(system: NatsConnection, accountJwt: string): Promise<void> {
  const answer = await system.request('$SYS.REQ.CLAIMS.UPDATE', accountJwt, { timeout: PUSH_MS_MAX });
  const { data, error } = answer.json<ClaimsAnswer>();
  if (data?.code === 200) return;
  const why = error?.description ?? data?.message ?? 'no reason given';
  throw new Error(`nats-server refused the account: ${why}`);
}

type ClaimsAnswer = { data?: { code?: number; message?: string }; error?: { description?: string } };
