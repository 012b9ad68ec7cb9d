import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../runtime/domain-error.ts';
import type { Pool, Transaction } from './database.ts';

const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';
const ATTEMPTS_MAX = 5;
const JITTER_MS = 25;

/** Postgres cancelled a statement (time-out), is shutting down, starting, or refuses connections. */
const UNAVAILABLE_STATES = new Set(['57014', '57P01', '57P02', '57P03', '53300', '25P03', '08006', '08001']);
const UNAVAILABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
]);

/**
 * Runs a transaction. A deadlock or serialization failure repeats it whole, with jitter, at most five times. When
 * Postgres is out of reach it throws `unavailable` (STORE_UNAVAILABLE); a commit whose answer was lost is among those, so
 * that callers must be safe to repeat.
 */
export async function transact<T>(pool: Pool, work: (sql: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await pool.begin(work)) as T;
    } catch (error) {
      const code = codeOf(error);
      if ((code === DEADLOCK || code === SERIALIZATION_FAILURE) && attempt < ATTEMPTS_MAX) {
        await sleep(Math.random() * JITTER_MS * attempt);
        continue;
      }
      throw toStoreError(error, code);
    }
  }
}

/**
 * Runs a transaction as `decorum_tenant` on behalf of one tenant: row-level security shows and takes only that tenant's
 * rows (T1).
 */
export async function transactAsTenant<T>(
  pool: Pool,
  tenantId: string,
  work: (sql: Transaction) => Promise<T>,
): Promise<T> {
  return transact(pool, async (sql) => {
    await sql`
      select set_config('role', 'decorum_tenant', true), set_config('decorum.tenant', ${tenantId}, true)
    `;
    return work(sql);
  });
}

/** Runs one statement outside of a transaction, with the same errors as `transact`. */
export async function withStore<T>(work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toStoreError(error, codeOf(error));
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function toStoreError(error: unknown, code: string | undefined): unknown {
  const isUnavailable = code !== undefined && (UNAVAILABLE_STATES.has(code) || UNAVAILABLE_CODES.has(code));
  if (!isUnavailable) return error;
  return new DomainError({
    kind: 'unavailable',
    reason: 'STORE_UNAVAILABLE',
    message: 'the database cannot be reached; nothing was changed, or the repeat will find it',
    retryAfterMs: 1_000,
    cause: error,
  });
}
