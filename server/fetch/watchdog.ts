/**
 * M1: a worker that is frozen with a socket open would meet the next holder of its gates at the site. So a process of its
 * own kills it when its event loop has been silent for a third of the lease; the kernel then closes its sockets.
 *
 * Flow: the worker forks `watchdog-process.ts` into a session of its own, which neither a Ctrl-C or Ctrl-Z in the terminal
 * nor a SIGSTOP of the worker reaches, and sends it a heartbeat several times per period.
 *
 * What dies is the process, with every role in it: with `npm start` that is the platform. It is meant so: whoever may hold a
 * socket is not spared for what else it does, and D4 holds for all roles. A debugger's breakpoint and a Ctrl-Z
 * count as frozen as well.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../runtime/logger.ts';

const PROGRAM = fileURLToPath(new URL('./watchdog-process.ts', import.meta.url));

/** Heartbeats per period: a few that come late are no reason to kill. */
const HEARTBEATS = 10;

/**
 * Has this process killed (SIGKILL) once its event loop has been silent for `silentMsMax` on the monotonic clock: a tenth
 * later at most, or a period later when the watchdog was held up too. A watchdog that ends by itself is replaced
 * after a heartbeat's time. Neither it nor the heartbeat keeps this process alive. Disposing of it resolves when the
 * watchdog is gone. Throws when no process can be forked.
 */
export function startWatchdog({
  silentMsMax,
  logger,
}: {
  readonly silentMsMax: number;
  readonly logger: Logger;
}): AsyncDisposable {
  if (process.pid === 1) logger.warn('nobody inside a container can kill its process 1: give it an init');
  let watchdog = forkWatchdog(silentMsMax);
  const heartbeat = setInterval(() => {
    if (hasEnded(watchdog)) {
      logger.error('the watchdog ended by itself and is replaced', {
        signal: watchdog.signalCode ?? undefined,
      });
      watchdog = forkWatchdog(silentMsMax);
    }
    watchdog.send('heartbeat', () => undefined);
  }, silentMsMax / HEARTBEATS).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(heartbeat);
      if (hasEnded(watchdog)) return;
      const exited = once(watchdog, 'exit');
      watchdog.ref();
      watchdog.kill('SIGKILL');
      await exited;
    },
  };
}

function forkWatchdog(silentMsMax: number): ChildProcess {
  const watchdog = fork(PROGRAM, [String(process.pid), String(silentMsMax)], {
    detached: true,
    cwd: '/',
    env: {},
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  watchdog.on('error', () => undefined);
  watchdog.unref();
  watchdog.channel?.unref();
  return watchdog;
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}
