import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node';

/** Where a nats-server listens (`nats://host:port`, several separated by commas) and who signs in. */
export type NatsAccess = {
  url: string;
  /** Text of a `.creds` file. */
  creds: string;
  /** Shown by nats-server beside the connection; default `decorum`. */
  name?: string;
};

/** Wait between two tries to come back to a lost server, ms. */
const RECONNECT_MS = 500;

/**
 * Connects as one of the platform's own users: with PLATFORM's credentials to streams and consumers, with SYS' to push
 * accounts. Throws when the first connection fails; a later loss is repaired for ever, quietly, while calls time out.
 * The caller closes or drains it.
 */
export async function connectPlatform(access: NatsAccess): Promise<NatsConnection> {
  return connect({
    servers: access.url.split(',').map((server) => server.trim()),
    authenticator: credsAuthenticator(Buffer.from(access.creds)),
    name: access.name ?? 'decorum',
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
  });
}
