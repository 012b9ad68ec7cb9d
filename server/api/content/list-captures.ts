import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { MethodImpl } from '@connectrpc/connect';
import type { ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import type { CapturePage, CaptureQuery } from '../../archive/content/list-captures.ts';
import { requireTenant } from '../caller.ts';
import { fromCapture } from './from-capture.ts';

/** What ListCaptures needs. */
export type ListCapturesDeps = {
  readonly listCaptures: (tenantId: string, query: CaptureQuery) => Promise<CapturePage>;
};

/** The contract's default. */
const PAGE_SIZE_DEFAULT = 100;

/** ContentService.ListCaptures. */
export function listCaptures(deps: ListCapturesDeps): MethodImpl<typeof ContentService.method.listCaptures> {
  return async ({ url, fetchedAfter, fetchedBefore, pageSize, pageToken }, context) => {
    const page = await deps.listCaptures(requireTenant(context), {
      ...{ url, pageToken },
      fetchedAfter: fetchedAfter && timestampDate(fetchedAfter),
      fetchedBefore: fetchedBefore && timestampDate(fetchedBefore),
      pageSize: pageSize === 0 ? PAGE_SIZE_DEFAULT : pageSize,
    });
    return {
      captures: page.captures.map((capture) => fromCapture(capture, page.purposes)),
      nextPageToken: page.nextPageToken,
    };
  };
}
