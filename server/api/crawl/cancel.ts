import type { MethodImpl } from '@connectrpc/connect';
import type { CrawlService } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import type { Cancelled, RequestSelector } from '../../frontier/cancel.ts';
import { requireTenant } from '../caller.ts';

/** What Cancel needs. */
export type CancelDeps = {
  readonly cancelRequests: (tenantId: string, selector: RequestSelector) => Promise<Cancelled>;
};

const NOTHING: RequestSelector = { requestIds: [], label: '', site: '' };

/** CrawlService.Cancel. */
export function cancel(deps: CancelDeps): MethodImpl<typeof CrawlService.method.cancel> {
  return async ({ selector = NOTHING }, context) => {
    const { cancelled, more } = await deps.cancelRequests(requireTenant(context), selector);
    return { cancelled: BigInt(cancelled), more };
  };
}
