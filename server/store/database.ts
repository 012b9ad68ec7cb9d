import postgres from 'postgres';
import { watchOptions } from './watch-connections.ts';

/** int8 columns are bigint; everything else is postgres.js' default. */
export type Types = { bigint: bigint };

/** One transaction. */
export type Transaction = postgres.ISql<Types>;

/** Connections of one kind of work. */
export type Pool = postgres.Sql<Types>;

/**
 * Three pools, so that a flood of one kind of call never starves another: `control` for Renew, Complete and policy,
 * `lease` for Lease, `general` for Submit, reads and jobs.
 */
export type Database = AsyncDisposable & {
  readonly control: Pool;
  readonly lease: Pool;
  readonly general: Pool;
};

/** A statement that runs longer is cancelled by Postgres; the call answers UNAVAILABLE. */
export const STATEMENT_TIMEOUT_MS = 10_000;

/** A transaction that its client forgot is ended by Postgres, so that it holds no gate's row. */
export const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

const CONNECT_TIMEOUT_S = 5;

/** Between two tries of one connection; the driver's own pause grows to 20 s, long after the database is back. */
const RECONNECT_S = 0.25;

const POOL_SIZES = { control: 8, lease: 4, general: 12 };

/**
 * Connects lazily to a migrated database. Every connection works as `decorum_platform`; a transaction for a tenant steps
 * down to `decorum_tenant` (see `transactAsTenant`).
 */
export function createDatabase(url: string): Database {
  const control = createPool(url, 'control');
  const lease = createPool(url, 'lease');
  const general = createPool(url, 'general');
  return {
    control,
    lease,
    general,
    async [Symbol.asyncDispose]() {
      await Promise.all([control, lease, general].map((pool) => pool.end({ timeout: 5 })));
    },
  };
}

function createPool(url: string, kind: keyof typeof POOL_SIZES): Pool {
  return postgres(url, {
    max: POOL_SIZES[kind],
    connect_timeout: CONNECT_TIMEOUT_S,
    backoff: () => RECONNECT_S,
    types: { bigint: postgres.BigInt },
    onnotice: () => undefined,
    ...watchOptions,
    connection: {
      application_name: `decorum ${kind}`,
      role: 'decorum_platform',
      search_path: 'decorum',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
      TimeZone: 'UTC',
    },
  });
}
