import { setTimeout as sleep } from 'node:timers/promises';
import type { StopStep } from './guardian-protocol.ts';
import { readProcessCommand, readProcessStart } from './process-table.ts';

/** How often we look whether the process is gone, ms. */
const LOOK_MS = 25;
/** A SIGKILL works at once, unless the kernel holds the process in a read or write. */
const KILL_MS_MAX = 10_000;

/** A process that an earlier platform may have left behind. */
export type Orphan = {
  pid: number;
  /** An argument that only our own child has: its data directory or its configuration file. */
  argument: string;
  stop: StopStep[];
};

/**
 * Ends a service whose platform and guardian are gone, with the same signals in the same order as its guardian would. Does
 * nothing when `pid` is another program (the number was used again). Call it while holding the lock of the directory. A guardian
 * that is just doing the same is no hindrance. Answers whether the process was ours; when it has answered, it is gone.
 */
export async function endOrphan({ pid, argument, stop }: Orphan): Promise<boolean> {
  const start = await readProcessStart(pid);
  const command = await readProcessCommand(pid);
  if (start === undefined || command === undefined || !command.includes(argument)) return false;
  const steps: StopStep[] = [...stop, { signal: 'SIGKILL', waitMs: KILL_MS_MAX }];
  for (const { signal, waitMs } of steps) {
    try {
      process.kill(pid, signal);
    } catch {
      // Gone between the look and the signal; the next look sees it.
    }
    const until = performance.now() + waitMs;
    while (performance.now() < until) {
      if ((await readProcessStart(pid)) !== start) return true;
      await sleep(LOOK_MS);
    }
  }
  throw new Error(`process ${pid} (${argument}) does not end`);
}
