import type { SpoolBudget } from '../archive/spool.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { FetchLimits } from './fetch-limits.ts';
import type { LocalLease } from './local-lease.ts';
import type { Pacer } from './pacer.ts';
import type { Reporter } from './reporter.ts';
import type { FetchIdentity } from './request-head.ts';
import type { SegmentKeeper } from './segment-keeper.ts';
import type { SiteConnection } from './site-connection.ts';

/** What the steps of every lease share. */
export type LeaseRunDeps = {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: FetchLimits;
  readonly identity: FetchIdentity;
  readonly segments: SegmentKeeper;
  readonly reporter: Reporter;
  readonly spool: { readonly dir: string; readonly budget: SpoolBudget };
  /** Aborts when the worker ends: no request is started any more. */
  readonly draining: AbortSignal;
  /** Aborts with a FetchFailure when what still runs must end too. */
  readonly drained: AbortSignal;
  /** The archive took nothing for this residency: no lease should be asked for before it does again (D5). */
  readonly noteNotStored: (residency: string) => void;
};

/** One lease on its way through the steps. */
export type LeaseRun = {
  readonly deps: LeaseRunDeps;
  readonly lease: LocalLease;
  readonly pacer: Pacer;
  readonly connection: SiteConnection;
};
