import type { MethodImpl } from '@connectrpc/connect';
import type { CrawlService } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import { RequestStateSchema } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import type { RequestPage, RequestQuery } from '../../frontier/list-requests.ts';
import { requireTenant } from '../caller.ts';
import { enumText } from '../convert/enum-text.ts';
import { fromPendingRequest } from './from-pending-request.ts';

/** What ListRequests needs. */
export type ListRequestsDeps = {
  readonly listRequests: (tenantId: string, query: RequestQuery) => Promise<RequestPage>;
};

/** The contract's default. */
const PAGE_SIZE_DEFAULT = 100;

/** CrawlService.ListRequests. */
export function listRequests(deps: ListRequestsDeps): MethodImpl<typeof CrawlService.method.listRequests> {
  return async ({ site, host, state, band, label, pageSize, pageToken }, context) => {
    const page = await deps.listRequests(requireTenant(context), {
      ...{ site, host, band, label, pageToken },
      state: state === 0 ? undefined : enumText(RequestStateSchema, state),
      pageSize: pageSize === 0 ? PAGE_SIZE_DEFAULT : pageSize,
    });
    return { requests: page.requests.map(fromPendingRequest), nextPageToken: page.nextPageToken };
  };
}
