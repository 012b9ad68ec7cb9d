import { JetStreamApiError } from '@nats-io/jetstream';
import { DomainError } from '../runtime/domain-error.ts';
import { loadInstallation } from '../store/load-installation.ts';
import { deleteResultGroup } from '../store/result-groups.ts';
import type { ResultLane } from '../store/result-stream-key.ts';
import { transactAsTenant, withStore } from '../store/transact.ts';
import type { GroupDeps } from './list-groups.ts';
import { streamNameOf } from './stream-name.ts';

const NOT_FOUND_STATUS = 404;

/**
 * Deletes a consumer group and its consumer; under the same name it would begin anew. Throws `not_found` (GROUP_UNKNOWN)
 * when there is neither, and `unavailable` without the broker: then a repeat finishes it.
 */
export async function deleteGroup(
  { pool, broker }: GroupDeps,
  input: { readonly tenantId: string; readonly group: string; readonly lane: ResultLane },
): Promise<void> {
  const { tenantId, group, lane } = input;
  const { cell, generation } = await withStore(() => loadInstallation(pool));
  const key = { tenantId, lane, cell, generation };
  const wasRecorded = await transactAsTenant(pool, tenantId, (sql) => deleteResultGroup(sql, key, group));
  const hadConsumer = await broker.useJetStream(async ({ manager }) => {
    try {
      return await manager.consumers.delete(streamNameOf(key), group);
    } catch (error) {
      if (error instanceof JetStreamApiError && error.status === NOT_FOUND_STATUS) return false;
      throw error;
    }
  });
  if (wasRecorded || hadConsumer) return;
  throw new DomainError({
    kind: 'not_found',
    reason: 'GROUP_UNKNOWN',
    field: 'group',
    message: 'this lane has no consumer group of that name',
  });
}
