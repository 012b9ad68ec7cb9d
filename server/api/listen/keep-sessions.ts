import { constants, type ServerHttp2Session } from 'node:http2';

import type { Clock } from '../../runtime/clock.ts';
import type { ApiLimits } from '../limits.ts';
import { decideSessionCare, type SessionState } from './decide-session-care.ts';

/** The HTTP/2 connections of a listener. */
export type Sessions = Disposable & {
  readonly add: (session: ServerHttp2Session) => void;
  readonly size: () => number;
  readonly leaveAll: () => void;
  readonly destroyAll: () => void;
};

/** What `keepSessions` needs. */
export type SessionsDeps = {
  readonly limits: ApiLimits;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** 0 to 1; spreads the ages of connections that came together. */
  readonly random: () => number;
};

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const LAST_STREAM_ID = 2 ** 31 - 1;

/**
 * Looks after HTTP/2 connections, which node:http2 does not: drops peers that never greet or no longer answer, closes
 * idle and old connections.
 *
 * A connection leaves in two steps, so that no call fails: a GOAWAY that forbids nothing yet makes the client open its
 * next streams elsewhere; those that were on their way meanwhile are served; then `close` sends the final GOAWAY and ends
 * the connection with its last stream.
 */
export function keepSessions({ limits, clock, random }: SessionsDeps): Sessions {
  const sessions = new Map<ServerHttp2Session, Mutable<SessionState>>();

  const leave = (session: ServerHttp2Session, state: Mutable<SessionState>): void => {
    if (state.leavingSince !== undefined || session.closed || session.destroyed) return;
    state.leavingSince = clock.monotonicMs();
    session.goaway(constants.NGHTTP2_NO_ERROR, LAST_STREAM_ID);
    setTimeout(() => session.close(), limits.goawayMs).unref();
  };
  const ping = (session: ServerHttp2Session, state: Mutable<SessionState>): void => {
    state.pingSentAt = clock.monotonicMs();
    session.ping(() => {
      state.pingSentAt = undefined;
      state.heardAt = clock.monotonicMs();
    });
  };
  const care = (session: ServerHttp2Session, state: Mutable<SessionState>): void => {
    const decision = decideSessionCare(state, clock.monotonicMs(), limits);
    if (decision === 'destroy') session.destroy();
    if (decision === 'leave') leave(session, state);
    if (decision === 'ping') ping(session, state);
  };
  const sweep = setInterval(
    () => sessions.forEach((state, session) => care(session, state)),
    limits.sweepMs,
  ).unref();

  return {
    add(session) {
      const state = newState(clock.monotonicMs(), limits.connectionAgeMs * (1 + random() / 10));
      sessions.set(session, state);
      session.once('close', () => sessions.delete(session));
      session.once('remoteSettings', () => (state.isGreeted = true));
      const onStreams = (change: 1 | -1): void => {
        state.openStreams += change;
        state.streamsChangedAt = clock.monotonicMs();
      };
      session.on('stream', (stream) => {
        onStreams(1);
        stream.once('close', () => onStreams(-1));
      });
    },
    size: () => sessions.size,
    leaveAll: () => sessions.forEach((state, session) => leave(session, state)),
    destroyAll: () => sessions.forEach((_state, session) => session.destroy()),
    [Symbol.dispose]: () => clearInterval(sweep),
  };
}

function newState(now: number, ageMs: number): Mutable<SessionState> {
  return {
    connectedAt: now,
    isGreeted: false,
    openStreams: 0,
    streamsChangedAt: now,
    heardAt: now,
    pingSentAt: undefined,
    leavingSince: undefined,
    oldAt: now + ageMs,
  };
}
