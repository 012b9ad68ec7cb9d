import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process of this machine, as /proc tells it. */
export type ProcessEntry = { pid: number; uid: number; command: string };

/** Every process, zombies aside, whose command line names `dir` or whose working directory lies in it. */
export async function listProcesses(dir: string): Promise<ProcessEntry[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(pids.map(async (pid) => readEntry(Number(pid), dir)));
  return entries.filter((it) => it !== undefined && it.pid !== process.pid) as ProcessEntry[];
}

/** Waits until no process has to do with `dir` any more; fails after `boundMs`, naming those that are left. */
export async function waitUntilGone(dir: string, boundMs = 30_000): Promise<void> {
  const until = performance.now() + boundMs;
  for (;;) {
    const left = await listProcesses(dir);
    if (left.length === 0) return;
    if (performance.now() > until) throw new Error(`still running: ${JSON.stringify(left)}`);
    await sleep(20);
  }
}

async function readEntry(pid: number, dir: string): Promise<ProcessEntry | undefined> {
  try {
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    if (/^State:\s+[ZX]/m.test(status)) return undefined;
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    if (!command.includes(dir) && !cwd.startsWith(dir)) return undefined;
    return { pid, uid: Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]), command };
  } catch {
    return undefined;
  }
}
