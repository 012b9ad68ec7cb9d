import type { ServiceImpl } from '@connectrpc/connect';
import type { ResultService } from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import { deleteGroup, type DeleteGroupDeps } from './delete-group.ts';
import { getResults, type GetResultsDeps } from './get-results.ts';
import { listGroups, type ListGroupsDeps } from './list-groups.ts';
import { openResults, type OpenResultsDeps } from './open-results.ts';
import { replayResults, type ReplayResultsDeps } from './replay-results.ts';

/** What the handlers of ResultService need. */
export type ResultHandlerDeps = OpenResultsDeps &
  GetResultsDeps &
  ListGroupsDeps &
  DeleteGroupDeps &
  ReplayResultsDeps;

/** ResultService, as far as it is built. */
export function resultHandlers(deps: ResultHandlerDeps): Partial<ServiceImpl<typeof ResultService>> {
  return {
    openResults: openResults(deps),
    getResults: getResults(deps),
    listGroups: listGroups(deps),
    deleteGroup: deleteGroup(deps),
    replayResults: replayResults(deps),
  };
}
