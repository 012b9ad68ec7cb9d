import { readFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * When a process started, in a form that no other process of this machine ever has with the same pid; undefined when there
 * is none (a zombie counts as none). On systems without /proc the same text for every running process.
 */
export async function readProcessStart(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return isSignalable(pid) ? 'running' : undefined;
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // proc(5): the name in parentheses may hold anything; state is the first field after it, start time the twentieth.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${fields[19] ?? ''}@${bootId.trim()}`;
  } catch {
    return undefined;
  }
}

/** The command line of a running process as one text; undefined when there is none or it cannot be read. */
export async function readProcessCommand(pid: number): Promise<string | undefined> {
  try {
    if (process.platform === 'linux') {
      return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
    }
    return (await run('ps', ['-o', 'command=', '-p', String(pid)])).stdout.trim();
  } catch {
    return undefined;
  }
}

function isSignalable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
