import type { MethodImpl } from '@connectrpc/connect';
import type { CrawlService } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import type { QuotaState } from '../../frontier/get-quota.ts';
import { requireTenant } from '../caller.ts';

/** What GetQuota needs. */
export type GetQuotaDeps = { readonly getQuota: (tenantId: string) => Promise<QuotaState> };

/** CrawlService.GetQuota. */
export function getQuota(deps: GetQuotaDeps): MethodImpl<typeof CrawlService.method.getQuota> {
  return async (_request, context) => {
    const { limits, ...quota } = await deps.getQuota(requireTenant(context));
    return {
      ...quota,
      limits: limits.map(({ name, limit, used }) => ({
        name,
        used: BigInt(used),
        ...(limit !== null && { limit: BigInt(limit) }),
      })),
    };
  };
}
