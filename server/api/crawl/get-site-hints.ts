import type { MethodImpl } from '@connectrpc/connect';
import type { CrawlService } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import type { SiteHints } from '../../frontier/get-site-hints.ts';
import { requireTenant } from '../caller.ts';
import { msDuration } from '../convert/duration-ms.ts';

/** What GetSiteHints needs. */
export type GetSiteHintsDeps = {
  readonly getSiteHints: (tenantId: string, hostOrSite: string) => Promise<SiteHints>;
};

/** CrawlService.GetSiteHints. */
export function getSiteHints(deps: GetSiteHintsDeps): MethodImpl<typeof CrawlService.method.getSiteHints> {
  return async (request, context) => {
    const hints = await deps.getSiteHints(requireTenant(context), request.site);
    return {
      site: hints.site,
      sitemaps: [...hints.sitemaps],
      delay: msDuration(hints.delayMs),
      drainTime: msDuration(hints.drainMs),
      pending: BigInt(hints.pending),
    };
  };
}
