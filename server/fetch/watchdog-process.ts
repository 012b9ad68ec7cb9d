/**
 * The watchdog's own program (see `watchdog.ts`): `watchdog-process.ts <pid of the worker> <silentMsMax>`, forked by the
 * worker that it watches. Every message is a heartbeat. It ends when the pipe closes, so with the worker at the latest.
 *
 * When it was itself held up for half a period (a suspended machine, a frozen container), the worker very likely was as
 * well: it gets one fresh period, and no second one before it has spoken.
 */
import { createLogger } from '../runtime/logger.ts';

/** Looks per period: the worker is killed at most a tenth of a period late. */
const LOOKS = 10;

// Who ends a terminal, a session or a control group tells all its processes; the worker still has sockets to close.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

const [workerPid = 0, silentMsMax = 0] = process.argv.slice(2).map(Number);
let heardAt = performance.now();
let lookedAt = heardAt;
let hadFreshPeriod = false;

process.on('message', () => {
  heardAt = performance.now();
  hadFreshPeriod = false;
});
const timer = setInterval(look, silentMsMax / LOOKS);
process.once('disconnect', () => clearInterval(timer));
if (!process.connected) clearInterval(timer);

function look(): void {
  const now = performance.now();
  const wasHeldUp = now - lookedAt > silentMsMax / 2;
  lookedAt = now;
  if (wasHeldUp && !hadFreshPeriod) {
    hadFreshPeriod = true;
    heardAt = now;
  }
  // An orphan has another parent, and the pid may be somebody else's by now.
  if (now - heardAt < silentMsMax || process.ppid !== workerPid) return;
  clearInterval(timer);
  process.kill(workerPid, 'SIGKILL');
  createLogger().error('M1: the event loop was silent for too long; the process was killed', {
    pid: workerPid,
    silentMs: Math.round(now - heardAt),
  });
}
