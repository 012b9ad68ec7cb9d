import type { Counter, Meter } from '@opentelemetry/api';
import type { Logger } from '../../runtime/logger.ts';
import type { Pool } from '../../store/database.ts';
import type { Archive } from '../directory-archive.ts';

/** What putting the archive in order after failures works with. */
export type UpkeepDeps = {
  readonly pool: Pool;
  readonly archive: Archive;
  readonly logger: Logger;
  readonly counters: UpkeepCounters;
};

/** What was found and done. */
export type UpkeepCounters = {
  readonly takeovers: Counter;
  readonly orphans: Counter;
  readonly failures: Counter;
};

/** Makes the counters; once a process. */
export function createUpkeepCounters(meter: Meter): UpkeepCounters {
  return {
    takeovers: meter.createCounter('decorum.archive.takeovers', {
      description: 'Segments of dead writers that were taken over',
    }),
    orphans: meter.createCounter('decorum.archive.orphans', {
      description: 'Members that no row names, found and erased',
    }),
    failures: meter.createCounter('decorum.archive.upkeep_failures', {
      description: 'Segments whose file is not what their rows say, so that a person has to look',
    }),
  };
}
