import type { MethodImpl } from '@connectrpc/connect';
import type { ResultService } from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import type { GroupProgress } from '../../results/list-groups.ts';
import { requireTenant } from '../caller.ts';
import { fromLane } from './lane.ts';

/** What ListGroups needs. */
export type ListGroupsDeps = {
  readonly listGroups: (tenantId: string) => Promise<readonly GroupProgress[]>;
};

/** ResultService.ListGroups. */
export function listGroups(deps: ListGroupsDeps): MethodImpl<typeof ResultService.method.listGroups> {
  return async (_request, context) => {
    const groups = await deps.listGroups(requireTenant(context));
    return { groups: groups.map((group) => ({ ...group, lane: fromLane(group.lane) })) };
  };
}
