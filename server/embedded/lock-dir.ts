/**
 * A lock on a directory that outlives a crash without getting in the way.
 *
 * The holder is the highest of the symbolic links `lock.1`, `lock.2`, … in the directory; its target is not a path but says who
 * holds it. Making a symbolic link is atomic, content included, and fails when the name is taken: whoever finds the highest
 * claim dead or given back makes the next one, and exactly one of several wins. The highest is never deleted (a name that came
 * free again could be taken twice), only what lies below it.
 */
import { readdir, readlink, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedError } from './embedded-error.ts';
import { readProcessStart } from './process-table.ts';

const RELEASED = 'released';

/**
 * Locks a directory for this process until it is disposed or the process ends. Throws `DATA_DIR_IN_USE` with the holder's pid
 * when a running process holds it, this one included. It does not see processes of another machine or container.
 */
export async function lockDir(dir: string): Promise<AsyncDisposable> {
  for (;;) {
    const highest = Math.max(0, ...(await listClaims(dir)));
    if (highest > 0) {
      const holder = await readClaim(dir, highest);
      if (holder === undefined) continue;
      if (await isHeld(holder)) {
        throw new EmbeddedError('DATA_DIR_IN_USE', `${dir} is in use by process ${holder.pid}`, {
          pid: holder.pid,
        });
      }
    }
    const mine = highest + 1;
    if (!(await claim(dir, mine, `${process.pid} ${(await readProcessStart(process.pid)) ?? ''}`))) continue;
    return {
      async [Symbol.asyncDispose](): Promise<void> {
        await claim(dir, mine + 1, RELEASED);
      },
    };
  }
}

type Holder = { pid: number; start: string };

async function listClaims(dir: string): Promise<number[]> {
  return (await readdir(dir)).flatMap((name) => (/^lock\.\d+$/.test(name) ? [Number(name.slice(5))] : []));
}

async function readClaim(dir: string, number: number): Promise<Holder | undefined> {
  try {
    const [pid = '', start = ''] = (await readlink(join(dir, `lock.${number}`))).split(' ');
    return { pid: pid === RELEASED ? 0 : Number(pid), start };
  } catch {
    return undefined;
  }
}

async function isHeld({ pid, start }: Holder): Promise<boolean> {
  return pid > 0 && (await readProcessStart(pid)) === start;
}

async function claim(dir: string, number: number, holder: string): Promise<boolean> {
  try {
    await symlink(holder, join(dir, `lock.${number}`));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  const claims = await listClaims(dir);
  // A name between a dead claim and a newer one may have been free again: only the highest counts.
  const isHighest = claims.every((other) => other <= number);
  const stale = claims.filter((other) => (isHighest ? other < number : other === number));
  await Promise.allSettled(stale.map((other) => unlink(join(dir, `lock.${other}`))));
  return isHighest;
}
