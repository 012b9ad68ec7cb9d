// One signed-in connection to a lane of results.
//
// The key pair is made here and its seed stays here; the API answers a credential that lasts a quarter of an hour. At
// half of its life a new one is fetched and put in place, for whenever the connection is made next; the receiver then
// reconnects between two pulls, when nothing is on its way that could be lost. What can't be repaired (the key was
// revoked, the platform moved to another stream) ends the session through `ended`.
import { setTimeout as sleep } from 'node:timers/promises';
import { durationMs } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import type {
  OpenResultsResponse,
  ResultService,
} from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import type { Consumer } from '@nats-io/jetstream';
import { jetstream } from '@nats-io/jetstream';
import { createUser } from '@nats-io/nkeys';
import type { NatsConnection } from '@nats-io/transport-node';
import { connect, jwtAuthenticator, millis } from '@nats-io/transport-node';
import { DecorumError, isLasting, toDecorumError } from '../client/decorum-error.ts';
import type { LaneName } from './lane.ts';
import { toLane } from './lane.ts';

/** Which results a session is for. */
export type LaneOptions = {
  readonly group: string;
  readonly lane: LaneName;
  /** Where a new group starts; default the oldest that is kept. */
  readonly startNumber?: number | undefined;
};

/** A connection that is kept signed in. */
export type LaneSession = AsyncDisposable & {
  readonly consumer: Consumer;
  readonly stream: string;
  readonly cell: number;
  readonly generation: number;
  /** How long a delivery may stay unacknowledged before it is delivered again. */
  readonly ackWaitMs: number;
  /** The most that may be unacknowledged in the whole group; 0 when there is no bound. */
  readonly unacknowledgedMax: number;
  /** How long a pull may take so that credentials are renewed in time. */
  readonly pullMs: number;
  /**
   * Makes a new connection when a newer credential waits for one. To be called while no pull is open. The signal ends
   * the wait. */
  refresh(signal: AbortSignal): Promise<void>;
  /** Aborted with the reason when the session can't go on. */
  readonly ended: AbortSignal;
};

type ResultClient = Pick<Client<typeof ResultService>, 'openResults'>;

/**
 * How long a pull stays open. One whose connection is lost stays open too, since the server does not see across accounts
 * that its inbox is gone; what it takes until then is delivered again, but only after the wait for acknowledgement.
 */
const PULL_MS_MAX = 5_000;
/** The least that JetStream takes. */
const PULL_MS_MIN = 1_000;
const RENEW_RETRY_MS_MAX = 5_000;
const CONNECT_MS = 5_000;
const CONNECT_ATTEMPTS_MAX = 3;
const RECONNECT_WAIT_MS = 250;
const DRAIN_MS = 5_000;
const PING_MS = 20_000;

/**
 * Signs in and finds the group's consumer. The caller disposes of the session. Throws the API's errors, and
 * `DELIVERY_UNREACHABLE` when NATS does not let us in.
 */
export async function openLaneSession(
  client: ResultClient,
  options: LaneOptions,
  signal: AbortSignal,
): Promise<LaneSession> {
  const user = createUser();
  const request = {
    group: options.group,
    lane: toLane(options.lane),
    userPublicKey: user.getPublicKey(),
    ...(options.startNumber !== undefined && { startNumber: BigInt(options.startNumber) }),
  };
  const ask = () => client.openResults(request, { signal });
  const first = await ask();
  const credential = { jwt: first.userJwt, isNew: false };
  const nats = await signIn(first.natsUrls, () => credential.jwt, user.getSeed());
  const ended = new AbortController();
  const renewal = keepRenewed(ask, first, credential, ended);
  try {
    const { consumers } = jetstream(nats, { apiPrefix: first.apiPrefix });
    const consumer = await consumers.get(first.stream, first.consumer);
    return await createSession({ nats, consumer, first, credential, ended, renewal });
  } catch (error) {
    renewal[Symbol.dispose]();
    await nats.close();
    throw unreachable(first.natsUrls, error);
  }
}

async function signIn(servers: string[], jwt: () => string, seed: Uint8Array): Promise<NatsConnection> {
  const options = {
    servers,
    authenticator: jwtAuthenticator(jwt, seed),
    name: 'decorum-sdk',
    timeout: CONNECT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    // A credential that ran out while the API was away is followed by a good one.
    ignoreAuthErrorAbort: true,
    pingInterval: PING_MS,
  };
  // What reconnects for ever gives up at the first trouble with its first connection.
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await connect(options);
    } catch (error) {
      if (attempts === CONNECT_ATTEMPTS_MAX) throw unreachable(servers, error);
      await sleep(RECONNECT_WAIT_MS);
    }
  }
}

function unreachable(servers: readonly string[], cause: unknown): DecorumError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `Results come from NATS at ${servers.join(', ')}, which could not be used (${why}). Check that it can be reached from here.`;
  return new DecorumError({ code: 'unavailable', reason: 'DELIVERY_UNREACHABLE', message, cause });
}

/** Fulfilled when the new connection is made: a pull that still left by the old one would take messages with it. */
async function reconnect(nats: NatsConnection): Promise<void> {
  await nats.flush();
  const events = nats.status();
  await nats.reconnect();
  for await (const { type } of events) if (type === 'reconnect') return;
}

type Credential = { jwt: string; isNew: boolean };

type SessionParts = {
  readonly nats: NatsConnection;
  readonly consumer: Consumer;
  readonly first: OpenResultsResponse;
  readonly credential: Credential;
  readonly ended: AbortController;
  readonly renewal: Disposable;
};

async function createSession({
  nats,
  consumer,
  first,
  credential,
  ended,
  renewal,
}: SessionParts): Promise<LaneSession> {
  const { config } = await consumer.info(true);
  return {
    consumer,
    stream: first.stream,
    cell: first.cell,
    generation: first.generation,
    ackWaitMs: millis(config.ack_wait ?? 0) || 30_000,
    unacknowledgedMax: Math.max(config.max_ack_pending ?? 0, 0),
    pullMs: Math.min(Math.max(lifetimeMs(first) / 8, PULL_MS_MIN), PULL_MS_MAX),
    ended: ended.signal,
    async refresh(signal) {
      if (!credential.isNew) return;
      credential.isNew = false;
      await Promise.race([reconnect(nats), aborted(signal)]);
    },
    async [Symbol.asyncDispose]() {
      renewal[Symbol.dispose]();
      ended.abort();
      // Acknowledgements that are still here get out; a server that is away is not waited for.
      if (!nats.isClosed())
        await Promise.race([nats.drain().catch(() => undefined), sleep(DRAIN_MS, undefined, { ref: false })]);
      await nats.close();
    },
  };
}

/** Fetches a new credential at half of the life of each; repeats soon when that fails for want of a server. */
function keepRenewed(
  ask: () => Promise<OpenResultsResponse>,
  first: OpenResultsResponse,
  credential: Credential,
  ended: AbortController,
): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const renewIn = (waitMs: number): void => {
    timer = setTimeout(() => void renew(), waitMs).unref();
  };
  const renew = async (): Promise<void> => {
    try {
      const next = await ask();
      if (ended.signal.aborted) return;
      if (next.stream !== first.stream || next.consumer !== first.consumer) {
        ended.abort(new Error(`results moved from ${first.stream} to ${next.stream}`));
        return;
      }
      credential.jwt = next.userJwt;
      credential.isNew = true;
      renewIn(lifetimeMs(next) / 2);
    } catch (thrown) {
      const error = toDecorumError(thrown);
      if (isLasting(error)) ended.abort(error);
      else if (!ended.signal.aborted) renewIn(Math.min(lifetimeMs(first) / 8, RENEW_RETRY_MS_MAX));
    }
  };
  renewIn(lifetimeMs(first) / 2);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

function lifetimeMs({ expiresAfter }: OpenResultsResponse): number {
  return expiresAfter === undefined ? 15 * 60_000 : durationMs(expiresAfter);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
