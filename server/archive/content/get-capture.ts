import type { CaptureRow } from '../../store/capture-row.ts';
import { loadRobotsTokens } from '../../store/load-robots-tokens.ts';
import { readAsTenant } from '../../store/read-as-tenant.ts';
import type { ContentDeps } from './content-deps.ts';
import { loadReadableCapture } from './load-readable-capture.ts';

/** A capture, and all purposes there are, for its verdicts. */
export type CaptureReading = { readonly capture: CaptureRow; readonly purposes: readonly string[] };

/** Reads one capture's row. Throws as `loadReadableCapture` does. */
export async function getCapture(
  { pool }: Pick<ContentDeps, 'pool'>,
  tenantId: string,
  captureId: string,
): Promise<CaptureReading> {
  return readAsTenant(pool, tenantId, async (sql) => ({
    capture: await loadReadableCapture(sql, tenantId, captureId),
    purposes: (await loadRobotsTokens(sql)).map(({ purpose }) => purpose),
  }));
}
