import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../runtime/domain-error.ts';
import type { Pool, Transaction } from './database.ts';
import { createWatch, endWatch, watchConnection, type ConnectionWatch } from './watch-connections.ts';

const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';
const ATTEMPTS_MAX = 5;
const JITTER_MS = 25;

/** A value that a column cannot hold: NUL in a text, a number or time out of range, a malformed UUID. */
const INVALID_VALUE_STATES = new Set(['22021', '22003', '22008', '22P02', '22P05', '22007']);

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
      return await runOnce(pool, work);
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

/** The driver ends a transaction whose connection closed by itself, and by nothing that its work does then. */
const NEVER = new Promise<never>(() => undefined);

async function runOnce<T>(pool: Pool, work: (sql: Transaction) => Promise<T>): Promise<T> {
  const watch = createWatch();
  const state = { isOver: false };
  const ended = await watchConnection(watch, () =>
    pool.begin(async (sql) => {
      try {
        const result = await work(guard(sql, watch, state));
        if (watch.isLost) return await NEVER;
        return { result };
      } catch (error) {
        if (watch.isLost || isConnectionError(error)) return await NEVER;
        throw error;
      } finally {
        state.isOver = true;
      }
    }),
  ).finally(() => endWatch(watch));
  return (ended as { result: T }).result;
}

/** The transaction as its work sees it: no statement is sent after its end, nor on a connection that is gone. */
function guard(sql: Transaction, watch: ConnectionWatch, state: { readonly isOver: boolean }): Transaction {
  const check = (): void => {
    if (state.isOver) throw new Error('a statement came after the end of its transaction');
    refuseLost(watch);
  };
  return new Proxy(sql, {
    apply(target, self, args) {
      check();
      return Reflect.apply(target as unknown as (...inputs: unknown[]) => unknown, self, args);
    },
    get(target, name, receiver) {
      if (name === 'unsafe') check();
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
}

/** Whether an error, or one behind it, says that the connection is gone or about to go. */
function isConnectionError(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined && (UNAVAILABLE_CODES.has(code) || /^(?:57P0|08)/.test(code))) return true;
  return error instanceof Error && error.cause !== undefined && isConnectionError(error.cause);
}

function refuseLost({ isLost }: ConnectionWatch): void {
  if (isLost) throw Object.assign(new Error('the connection was closed'), { code: 'CONNECTION_CLOSED' });
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
  if (code !== undefined && INVALID_VALUE_STATES.has(code)) {
    return new DomainError({
      kind: 'invalid',
      reason: 'VALUE_OUT_OF_RANGE',
      message: 'a value of the request is outside of what can be stored; nothing was changed',
      cause: error,
    });
  }
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
