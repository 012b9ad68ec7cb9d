import type { MethodImpl } from '@connectrpc/connect';
import type { ResultService } from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import type { ResultLane } from '../../store/result-stream-key.ts';
import { requireTenant } from '../caller.ts';
import { toLane } from './lane.ts';

/** What DeleteGroup needs. */
export type DeleteGroupDeps = {
  readonly deleteGroup: (group: {
    readonly tenantId: string;
    readonly group: string;
    readonly lane: ResultLane;
  }) => Promise<void>;
};

/** ResultService.DeleteGroup. */
export function deleteGroup(deps: DeleteGroupDeps): MethodImpl<typeof ResultService.method.deleteGroup> {
  return async ({ group, lane }, context) => {
    await deps.deleteGroup({ tenantId: requireTenant(context), group, lane: toLane(lane) });
    return {};
  };
}
