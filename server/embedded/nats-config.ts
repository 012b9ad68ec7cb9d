import type { OperatorIdentity } from '../results/nats/create-operator-identity.ts';

/** What an embedded nats-server is configured with; the port is given on its command line. */
export type NatsConfig = {
  identity: OperatorIdentity;
  serverName: string;
  /** A directory that the server alone writes to. */
  stateDir: string;
  pidFile: string;
  /** What all streams together may reserve on disk; a stream reserves its `max_bytes`. */
  storeBytesMax: number;
};

/** Our streams lie on disk; this is for what a consumer keeps while it runs. */
const MEMORY_BYTES_MAX = 64 * 1024 * 1024;
/** Notices of results are a few hundred bytes; an account's JWT with its streams is a few thousand. */
const PAYLOAD_BYTES_MAX = 1024 * 1024;

/** The configuration file of a nats-server in operator mode. It holds no secret: JWTs are public. */
export function formatNatsConfig(config: NatsConfig): string {
  const { operatorJwt, systemAccount, platformAccount } = config.identity;
  return `# Written at every start; changes are lost.
server_name: ${JSON.stringify(config.serverName)}
pid_file: ${JSON.stringify(config.pidFile)}
max_payload: ${PAYLOAD_BYTES_MAX}
operator: ${operatorJwt}
system_account: ${systemAccount.publicKey}
resolver { type: full, dir: ${JSON.stringify(`${config.stateDir}/jwt`)}, allow_delete: true }
resolver_preload {
  ${systemAccount.publicKey}: ${systemAccount.jwt}
  ${platformAccount.publicKey}: ${platformAccount.jwt}
}
jetstream {
  store_dir: ${JSON.stringify(config.stateDir)}
  sync_interval: always
  max_file_store: ${config.storeBytesMax}
  max_memory_store: ${MEMORY_BYTES_MAX}
}
`;
}
