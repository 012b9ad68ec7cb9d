import { decideDelivery } from '@decorum/policy/optout/decide-delivery.ts';
import { DomainError } from '../../runtime/domain-error.ts';
import type { CaptureRow } from '../../store/capture-row.ts';
import type { Transaction } from '../../store/database.ts';
import { loadCaptures } from '../../store/load-captures.ts';
import { loadTenant } from '../../store/load-tenant.ts';
import { captureUnknown } from './content-error.ts';

/**
 * A capture that the transaction's tenant may read now. Throws `not_found` (CAPTURE_UNKNOWN) when it does not hold it (T1),
 * `forbidden` (OPTED_OUT) when its purpose may not have it (L5).
 */
export async function loadReadableCapture(
  sql: Transaction,
  tenantId: string,
  captureId: string,
): Promise<CaptureRow> {
  const capture = (await loadCaptures(sql, [captureId])).get(captureId);
  if (capture === undefined) throw captureUnknown();
  const purpose = (await loadTenant(sql, tenantId))?.purpose ?? '';
  if (decideDelivery(purpose, capture.signals).kind === 'deliver') return capture;
  throw new DomainError({
    kind: 'forbidden',
    reason: 'OPTED_OUT',
    message: `the site has opted out of ${purpose}`,
  });
}
