import type { ServiceImpl } from '@connectrpc/connect';
import type { CrawlService } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import { cancel, type CancelDeps } from './cancel.ts';
import { explainUrl, type ExplainUrlDeps } from './explain-url.ts';
import { getQuota, type GetQuotaDeps } from './get-quota.ts';
import { getSiteHints, type GetSiteHintsDeps } from './get-site-hints.ts';
import { listRequests, type ListRequestsDeps } from './list-requests.ts';
import { submit, type SubmitDeps } from './submit.ts';

/** What the handlers of CrawlService need. */
export type CrawlHandlerDeps = SubmitDeps &
  CancelDeps &
  ListRequestsDeps &
  GetSiteHintsDeps &
  GetQuotaDeps &
  ExplainUrlDeps;

/** CrawlService, as far as it is served. */
export function crawlHandlers(deps: CrawlHandlerDeps): Partial<ServiceImpl<typeof CrawlService>> {
  return {
    submit: submit(deps),
    cancel: cancel(deps),
    listRequests: listRequests(deps),
    explainUrl: explainUrl(deps),
    getSiteHints: getSiteHints(deps),
    getQuota: getQuota(deps),
  };
}
