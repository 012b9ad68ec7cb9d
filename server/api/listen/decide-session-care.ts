import type { ApiLimits } from '../limits.ts';

/** What is known of one HTTP/2 connection; instants are monotonic milliseconds. */
export type SessionState = {
  readonly connectedAt: number;
  /** The peer's settings have come: it speaks HTTP/2. */
  readonly isGreeted: boolean;
  readonly openStreams: number;
  /** When a stream was last opened or closed. */
  readonly streamsChangedAt: number;
  /** When the peer last answered a ping; at first when it connected. */
  readonly heardAt: number;
  readonly pingSentAt: number | undefined;
  /** When it was told to go. */
  readonly leavingSince: number | undefined;
  /** When this connection is old enough to go. */
  readonly oldAt: number;
};

/** `leave`: no new streams, the open ones may end. `destroy`: now. */
export type SessionCare = 'none' | 'ping' | 'leave' | 'destroy';

/** How long a client may keep a connection that it was told to leave and that has no stream. */
const LEAVE_MS_MAX = 5_000;

/** What a connection needs at `now`. */
export function decideSessionCare(state: SessionState, now: number, limits: ApiLimits): SessionCare {
  const { connectedAt, isGreeted, openStreams, streamsChangedAt, heardAt, pingSentAt, leavingSince, oldAt } =
    state;
  if (!isGreeted) return now - connectedAt >= limits.headersMs ? 'destroy' : 'none';
  if (pingSentAt !== undefined && now - pingSentAt >= limits.pingMs) return 'destroy';
  if (leavingSince !== undefined) {
    const boundMs =
      openStreams === 0 ? limits.goawayMs + LEAVE_MS_MAX : limits.streamMsMax + limits.overrunMs;
    return now - leavingSince >= boundMs ? 'destroy' : 'none';
  }
  if (now >= oldAt || (openStreams === 0 && now - streamsChangedAt >= limits.idleMs)) return 'leave';
  return pingSentAt === undefined && now - heardAt >= limits.pingAfterMs ? 'ping' : 'none';
}
