import type { MethodImpl } from '@connectrpc/connect';
import type { ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import type { ExtractedText } from '@decorum/policy/html/extract-text.ts';
import { requireTenant } from '../caller.ts';

/** What ReadText needs. */
export type ReadTextDeps = {
  readonly readText: (tenantId: string, captureId: string) => Promise<ExtractedText>;
};

/** ContentService.ReadText. */
export function readText(deps: ReadTextDeps): MethodImpl<typeof ContentService.method.readText> {
  return async ({ captureId }, context) => ({
    ...(await deps.readText(requireTenant(context), captureId.toLowerCase())),
  });
}
