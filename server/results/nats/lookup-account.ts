import { errors, type NatsConnection } from '@nats-io/transport-node';

/** How long nats-server may take to answer, ms; it says nothing of an account that it does not know. */
const LOOKUP_MS_MAX = 500;

/**
 * The subjects that an account imports, as nats-server has it; undefined when it does not know the account. `system` is a
 * connection to SYS.
 */
export async function lookupAccountImports(
  system: NatsConnection,
  publicKey: string,
): Promise<string[] | undefined> {
  try {
    const subject = `$SYS.REQ.ACCOUNT.${publicKey}.CLAIMS.LOOKUP`;
    const answer = await system.request(subject, '', { timeout: LOOKUP_MS_MAX });
    const payload = Buffer.from(answer.string().split('.')[1] ?? '', 'base64url').toString();
    const claims = JSON.parse(payload) as { nats?: { imports?: { subject: string }[] } };
    return (claims.nats?.imports ?? []).map((service) => service.subject);
  } catch (error) {
    if (error instanceof errors.TimeoutError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
