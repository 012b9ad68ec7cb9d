import assert from 'node:assert/strict';
import { test } from 'node:test';

import { API_LIMITS } from '../limits.ts';
import { decideSessionCare, type SessionState } from './decide-session-care.ts';

const { headersMs, idleMs, pingAfterMs, pingMs, goawayMs, streamMsMax, overrunMs } = API_LIMITS;

function care(now: number, state: Partial<SessionState> = {}) {
  const base: SessionState = {
    connectedAt: 0,
    isGreeted: true,
    openStreams: 1,
    streamsChangedAt: 0,
    heardAt: now,
    pingSentAt: undefined,
    leavingSince: undefined,
    oldAt: Number.MAX_SAFE_INTEGER,
  };
  return decideSessionCare({ ...base, ...state }, now, API_LIMITS);
}

test('a peer that never speaks HTTP/2 is dropped', () => {
  assert.equal(care(headersMs - 1, { isGreeted: false }), 'none');
  assert.equal(care(headersMs, { isGreeted: false }), 'destroy');
});

test('a connection without streams leaves when idle, and only then', () => {
  assert.equal(care(idleMs, { openStreams: 0, streamsChangedAt: 1 }), 'none');
  assert.equal(care(idleMs + 1, { openStreams: 0, streamsChangedAt: 1 }), 'leave');
  assert.equal(care(idleMs + 1, { openStreams: 1, streamsChangedAt: 1 }), 'none');
});

test('an old connection leaves, busy or not', () => {
  assert.equal(care(999, { oldAt: 1_000 }), 'none');
  assert.equal(care(1_000, { oldAt: 1_000 }), 'leave');
});

test('a silent peer is pinged, and dropped when it does not answer', () => {
  assert.equal(care(pingAfterMs - 1, { heardAt: 0 }), 'none');
  assert.equal(care(pingAfterMs, { heardAt: 0 }), 'ping');
  assert.equal(care(pingAfterMs, { heardAt: 0, pingSentAt: pingAfterMs }), 'none');
  assert.equal(care(pingAfterMs + pingMs, { heardAt: 0, pingSentAt: pingAfterMs }), 'destroy');
});

test('a connection that was told to leave is given the time of its streams, and little without', () => {
  assert.equal(care(streamMsMax, { leavingSince: 0, heardAt: 0 }), 'none');
  assert.equal(care(streamMsMax + overrunMs, { leavingSince: 0 }), 'destroy');
  assert.equal(care(goawayMs, { leavingSince: 0, openStreams: 0 }), 'none');
  assert.equal(care(goawayMs + 5_000, { leavingSince: 0, openStreams: 0 }), 'destroy');
});

test('the limits fit each other', () => {
  const leaseWaitMs = 20_000;
  assert.ok(API_LIMITS.callMsMax > leaseWaitMs, 'a Lease may wait');
  assert.ok(API_LIMITS.drainMs > API_LIMITS.callMsMax, 'a unary call may end while we drain');
  assert.ok(API_LIMITS.connectionWindowBytes >= API_LIMITS.streamWindowBytes);
  assert.ok(API_LIMITS.connectionMemoryMb * 1024 * 1024 > API_LIMITS.messageBytesMax);
  assert.ok(API_LIMITS.headersMs < API_LIMITS.callMsMax);
  assert.ok(API_LIMITS.pingAfterMs + API_LIMITS.pingMs < API_LIMITS.idleMs);
});
