import type { MethodImpl } from '@connectrpc/connect';
import type { ResultService } from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import type { OpenedResults, OpenResultsInput } from '../../results/open-results.ts';
import { requireTenant } from '../caller.ts';
import { msDuration } from '../convert/duration-ms.ts';
import { toLane } from './lane.ts';

/** What OpenResults needs. */
export type OpenResultsDeps = { readonly openResults: (input: OpenResultsInput) => Promise<OpenedResults> };

/** ResultService.OpenResults. */
export function openResults(deps: OpenResultsDeps): MethodImpl<typeof ResultService.method.openResults> {
  return async ({ group, lane, userPublicKey, startNumber }, context) => {
    const { expiresAfterMs, natsUrls, ...opened } = await deps.openResults({
      ...{ group, userPublicKey, startNumber },
      tenantId: requireTenant(context),
      lane: toLane(lane),
    });
    return { ...opened, natsUrls: [...natsUrls], expiresAfter: msDuration(expiresAfterMs) };
  };
}
