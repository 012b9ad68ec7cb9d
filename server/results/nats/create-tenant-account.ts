import { fromSeed } from '@nats-io/nkeys';
import type { NatsConnection } from '@nats-io/transport-node';
import { accountClaims, type AccountImport } from './account-claims.ts';
import { activationClaims } from './activation-claims.ts';
import { deriveAccountKey } from './derive-account-key.ts';
import { encodeJwt } from './encode-jwt.ts';
import { pushAccount } from './push-account.ts';
import { streamServices } from './result-subjects.ts';

/** What creating accounts needs: a connection to SYS, and the seeds of the operator and of PLATFORM. */
export type TenantAccountDeps = {
  system: NatsConnection;
  operatorSeed: string;
  platformSeed: string;
  nowMs: () => number;
};

/** Connections that one tenant may hold at a time. */
const CONNECTIONS_MAX = 1000;
/** Subscriptions of one tenant: an inbox and a pull a consumer, with room. */
const SUBSCRIPTIONS_MAX = 10_000;
/** Clients only publish pull requests and acknowledgements, all of them small. */
const PAYLOAD_BYTES_MAX = 8192;

/**
 * Gives a tenant its NATS account: without JetStream and without exports, and importing from PLATFORM what consuming
 * `streams` takes and nothing else. Repeating it with other streams replaces the list, at once and for connected clients
 * too; so does the start of a generation. Returns the account's public key.
 */
export async function createTenantAccount(
  deps: TenantAccountDeps,
  tenant: string,
  streams: readonly string[],
): Promise<string> {
  const account = deriveAccountKey(deps.operatorSeed, tenant).getPublicKey();
  const platform = fromSeed(Buffer.from(deps.platformSeed));
  const issuedAtMs = deps.nowMs();
  const imports = streams.flatMap(streamServices).map((service): AccountImport => ({
    ...service,
    account: platform.getPublicKey(),
    activationToken: encodeJwt(
      { subject: account, name: service.name, issuedAtMs, nats: activationClaims(service.subject) },
      platform,
    ),
  }));
  const nats = accountClaims({
    jetstream: false,
    exports: [],
    imports,
    connectionsMax: CONNECTIONS_MAX,
    subscriptionsMax: SUBSCRIPTIONS_MAX,
    payloadBytesMax: PAYLOAD_BYTES_MAX,
  });
  const operator = fromSeed(Buffer.from(deps.operatorSeed));
  await pushAccount(deps.system, encodeJwt({ subject: account, name: tenant, issuedAtMs, nats }, operator));
  return account;
}
