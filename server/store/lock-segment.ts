import { DomainError } from '../runtime/domain-error.ts';
import type { Pool } from './database.ts';
import { withStore } from './transact.ts';

/** A segment that is held. Disposing gives it back; so does the end of the process. */
export type SegmentLock = AsyncDisposable & {
  /** Throws `unavailable` when the database was lost meanwhile, and the lock with it; before what can't be undone. */
  readonly check: () => Promise<void>;
};

/**
 * Holds a segment's file: `exclusive` for who replaces or overwrites it, `shared` for who reads it as a whole. Undefined
 * when others hold it. A lock of the session, on a connection of its own: files of 256 MB take longer than a transaction
 * may stay open, and a process that is frozen keeps it, while one that is killed gives it back at once.
 */
export async function tryLockSegment(
  pool: Pool,
  segmentId: string,
  mode: 'exclusive' | 'shared',
): Promise<SegmentLock | undefined> {
  // The driver never hands out a reserved connection that it has to make anew; this one brings an open one.
  await withStore(() => pool`select 1`);
  const session = await pool.reserve();
  const shared = session.unsafe(mode === 'shared' ? '_shared' : '');
  const key = session`hashtextextended(${`segment ${segmentId}`}, 0)`;
  let pid: number | undefined;
  try {
    const [row] = await session<{ isLocked: boolean; pid: number }[]>`
      select pg_try_advisory_lock${shared}(${key}) as "isLocked", pg_backend_pid() as pid
    `;
    if (row?.isLocked === true) pid = row.pid;
  } finally {
    if (pid === undefined) session.release();
  }
  if (pid === undefined) return undefined;
  const check = async (): Promise<void> => {
    const [row] = await withStore(() => session<{ pid: number }[]>`select pg_backend_pid() as pid`);
    if (row?.pid !== pid) throw lost();
  };
  return {
    check,
    async [Symbol.asyncDispose]() {
      try {
        await check();
        await session`select pg_advisory_unlock${shared}(${key})`;
      } catch {
        // The session is gone, and its locks with it.
      } finally {
        session.release();
      }
    },
  };
}

function lost(): DomainError {
  const message = 'the lock of a segment was lost with its connection';
  return new DomainError({ kind: 'unavailable', reason: 'STORE_UNAVAILABLE', message });
}
