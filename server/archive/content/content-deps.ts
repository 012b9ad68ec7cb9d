import type { Clock } from '../../runtime/clock.ts';
import type { Pool } from '../../store/database.ts';
import type { Archive } from '../directory-archive.ts';

/** What reading stored content stands on. */
export type ContentDeps = {
  readonly pool: Pool;
  readonly archive: Pick<Archive, 'readMember' | 'readMemberBytes'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
};
