import type { MethodImpl } from '@connectrpc/connect';
import type { ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import type { ExtractedLinks } from '@decorum/policy/html/extract-links.ts';
import { requireTenant } from '../caller.ts';

/** What ReadLinks needs. */
export type ReadLinksDeps = {
  readonly readLinks: (tenantId: string, captureId: string) => Promise<ExtractedLinks>;
};

/** ContentService.ReadLinks. */
export function readLinks(deps: ReadLinksDeps): MethodImpl<typeof ContentService.method.readLinks> {
  return async ({ captureId }, context) => ({
    ...(await deps.readLinks(requireTenant(context), captureId.toLowerCase())),
  });
}
