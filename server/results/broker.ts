/**
 * The way to the message broker: two connections, made when they are first needed and kept up by the client library: as
 * PLATFORM to streams and consumers, as SYS to tenants' accounts.
 *
 * States of each: unused, connecting, online, offline (tried again every second until it is made once, then by the library
 * for ever). Whoever needs it while it is offline is told at once; an outage is logged once.
 */
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '../runtime/logger.ts';
import { toBrokerError, toUnavailable } from './broker-error.ts';
import { connectPlatform } from './nats/connect-platform.ts';

/** Where the broker is, and the secrets of who administers it. */
export type BrokerAccess = {
  /** `nats://host:port`, several separated by commas. */
  readonly url: string;
  /** Texts of `.creds` files. */
  readonly platformCreds: string;
  readonly systemCreds: string;
  readonly operatorSeed: string;
  readonly platformSeed: string;
};

/** What a piece of work with JetStream gets. */
export type JetStream = { readonly client: JetStreamClient; readonly manager: JetStreamManager };

/** The broker. Disposing it closes its connections. */
export type Broker = AsyncDisposable & {
  readonly access: BrokerAccess;
  /**
   * Works with PLATFORM's streams. Throws `unavailable` (RESULTS_UNAVAILABLE) when the broker is out of reach, does not
   * answer in time or has no room.
   */
  readonly useJetStream: <T>(work: (jetStream: JetStream) => Promise<T>) => Promise<T>;
  /** The same with the connection to SYS. */
  readonly useSystem: <T>(work: (system: NatsConnection) => Promise<T>) => Promise<T>;
  /** False while PLATFORM's connection is known to be down; true before it was first needed. */
  readonly isOnline: () => boolean;
  /** Grows with each connection that was made: what was known of streams before may not hold after. */
  readonly connections: () => number;
};

/** Wait between two attempts to make a connection, ms. */
const RETRY_MS = 1_000;

/** Prepares the way; connects to nothing yet. */
export function createBroker(access: BrokerAccess, { logger }: { readonly logger: Logger }): Broker {
  const platform = createLink(logger, 'platform', access.url, access.platformCreds);
  const system = createLink(logger, 'system', access.url, access.systemCreds);
  return {
    access,
    isOnline: platform.isOnline,
    connections: platform.connections,
    useJetStream: (work) =>
      withBrokerErrors(async () => {
        const connection = await platform.get();
        const manager = await jetstreamManager(connection, { checkAPI: false });
        return work({ client: jetstream(connection), manager });
      }),
    useSystem: (work) => withBrokerErrors(async () => work(await system.get())),
    async [Symbol.asyncDispose]() {
      await Promise.all([platform.close(), system.close()]);
    },
  };
}

async function withBrokerErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toBrokerError(error);
  }
}

type Link = {
  readonly get: () => Promise<NatsConnection>;
  readonly isOnline: () => boolean;
  readonly connections: () => number;
  readonly close: () => Promise<void>;
};

function createLink(logger: Logger, name: string, url: string, creds: string): Link {
  let connecting: Promise<NatsConnection> | undefined;
  let isOnline = true;
  let isClosed = false;
  let connections = 0;

  const setOnline = (online: boolean, cause?: unknown): void => {
    if (online) connections += 1;
    if (online && !isOnline) logger.info('the message broker is back', { connection: name });
    if (!online && isOnline && !isClosed) {
      logger.warn('the message broker is out of reach; results wait', { connection: name }, cause);
    }
    isOnline = online;
  };
  const watch = async (connection: NatsConnection): Promise<void> => {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') setOnline(false);
      if (type === 'reconnect') setOnline(true);
    }
  };
  const connect = async (): Promise<NatsConnection> => {
    try {
      const connection = await connectPlatform({ url, creds, name: `decorum ${name}` });
      setOnline(true);
      void watch(connection);
      return connection;
    } catch (error) {
      setOnline(false, error);
      setTimeout(() => {
        connecting = isClosed ? undefined : connectInBackground();
      }, RETRY_MS).unref();
      throw error;
    }
  };
  const connectInBackground = (): Promise<NatsConnection> => {
    const attempt = connect();
    attempt.catch(() => undefined);
    return attempt;
  };

  return {
    isOnline: () => isOnline,
    connections: () => connections,
    async get() {
      const connection = await (connecting ??= connectInBackground());
      if (!isOnline) throw toUnavailable(undefined);
      return connection;
    },
    async close() {
      isClosed = true;
      const connection = await connecting?.catch(() => undefined);
      await connection?.close();
    },
  };
}
