import type { ServiceImpl } from '@connectrpc/connect';
import type { ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import { getCapture, type GetCaptureDeps } from './get-capture.ts';
import { listCaptures, type ListCapturesDeps } from './list-captures.ts';
import { readBody, type ReadBodyDeps } from './read-body.ts';
import { readLinks, type ReadLinksDeps } from './read-links.ts';
import { readRecords, type ReadRecordsDeps } from './read-records.ts';
import { readText, type ReadTextDeps } from './read-text.ts';

/** What the handlers of ContentService need. */
export type ContentHandlerDeps = GetCaptureDeps &
  ListCapturesDeps &
  ReadBodyDeps &
  ReadRecordsDeps &
  ReadTextDeps &
  ReadLinksDeps;

/** ContentService, as far as it is built. */
export function contentHandlers(deps: ContentHandlerDeps): Partial<ServiceImpl<typeof ContentService>> {
  return {
    getCapture: getCapture(deps),
    listCaptures: listCaptures(deps),
    readBody: readBody(deps),
    readRecords: readRecords(deps),
    readText: readText(deps),
    readLinks: readLinks(deps),
  };
}
