import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createPacer } from './pacer.ts';

/** A clock that moves only when somebody sleeps, each time a little less than was asked for. */
function createClock(shortfallMs = 0) {
  const now = { ms: 0 };
  return {
    now,
    clock: {
      monotonicMs: () => now.ms,
      wallMs: () => now.ms,
      sleep: (ms: number) => {
        now.ms += Math.max(ms - shortfallMs, 0.25);
        return Promise.resolve();
      },
    },
  };
}

const never = new AbortController().signal;

test('M1, M2: a turn comes no sooner than the delay after the end and the spacing after the start', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(3_000),
      fc.nat(3_000),
      fc.array(fc.record({ headMs: fc.nat(500), bodyMs: fc.nat(2_000), pauseMs: fc.nat(4_000) }), {
        maxLength: 8,
      }),
      fc.constantFrom(0, 1),
      async (siteDelayMs, slotSpacingMs, requests, shortfallMs) => {
        const { now, clock } = createClock(shortfallMs);
        const pacer = createPacer({ clock, siteDelayMs: () => siteDelayMs, slotSpacingMs, marginMs: 25 });
        let last: { startedAtMs: number; endedAtMs: number } | undefined;
        for (const { headMs, bodyMs, pauseMs } of requests) {
          await pacer.waitForTurn(never);
          if (last !== undefined) {
            assert.ok(now.ms >= last.endedAtMs + siteDelayMs + 25);
            assert.ok(now.ms >= last.startedAtMs + slotSpacingMs + 25);
          }
          const startedAtMs = (now.ms += headMs);
          const endedAtMs = (now.ms += bodyMs);
          last = { startedAtMs, endedAtMs };
          pacer.note(last);
          now.ms += pauseMs;
        }
        assert.equal(pacer.lastEndedAtMs(), last?.endedAtMs ?? null);
      },
    ),
  );
});

test('the first turn comes at once, and a turn that is over before it came is none', async () => {
  const { now, clock } = createClock();
  const pacer = createPacer({ clock, siteDelayMs: () => 1_000, slotSpacingMs: 1_000, marginMs: 0 });
  await pacer.waitForTurn(never);
  assert.equal(now.ms, 0);
  const reason = new Error('over');
  await assert.rejects(pacer.waitForTurn(AbortSignal.abort(reason)), reason);
});

test('M6: a delay that grows while the lease runs holds from the next request on', async () => {
  const { clock } = createClock();
  let siteDelayMs = 1_000;
  const pacer = createPacer({ clock, siteDelayMs: () => siteDelayMs, slotSpacingMs: 1_000, marginMs: 0 });
  pacer.note({ startedAtMs: clock.monotonicMs(), endedAtMs: clock.monotonicMs() });
  siteDelayMs = 2_000;
  const beforeMs = clock.monotonicMs();
  await pacer.waitForTurn(never);
  assert.equal(clock.monotonicMs() - beforeMs, 2_000);
});
