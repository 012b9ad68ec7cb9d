import { timestampFromDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { MethodImpl } from '@connectrpc/connect';
import { WaitReasonSchema, type CrawlService } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import { RefusalReasonSchema } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import type { Wait } from '../../frontier/decide-waits.ts';
import type { UrlExplanation } from '../../frontier/explain-url.ts';
import { requireTenant } from '../caller.ts';
import { msDuration } from '../convert/duration-ms.ts';
import { enumValue } from '../convert/enum-text.ts';
import { fromPendingRequest } from './from-pending-request.ts';

/** What ExplainUrl needs. */
export type ExplainUrlDeps = {
  readonly explainUrl: (tenantId: string, url: string) => Promise<UrlExplanation>;
};

/** CrawlService.ExplainUrl. */
export function explainUrl(deps: ExplainUrlDeps): MethodImpl<typeof CrawlService.method.explainUrl> {
  return async ({ url }, context) => {
    const explanation = await deps.explainUrl(requireTenant(context), url);
    const { canonicalUrl, site, detail, refusal, request, lastCapturedAt } = explanation;
    const estimatedWait = msDuration(explanation.estimatedWaitMs);
    return {
      ...{ canonicalUrl, site, detail },
      ...(refusal !== undefined && { refusal: enumValue(RefusalReasonSchema, refusal) }),
      ...(request !== undefined && { request: fromPendingRequest(request) }),
      waits: explanation.waits.map(fromWait),
      requestsAhead: BigInt(explanation.requestsAhead),
      ...(estimatedWait !== undefined && { estimatedWait }),
      lastResultRequestId: explanation.lastResultRequestId ?? '',
      ...(lastCapturedAt !== undefined && { lastCapturedAt: timestampFromDate(lastCapturedAt) }),
    };
  };
}

function fromWait({ reason, untilMs, detail }: Wait) {
  return {
    reason: enumValue(WaitReasonSchema, reason),
    detail,
    ...(untilMs !== undefined && { until: timestampFromMs(Math.ceil(untilMs)) }),
  };
}
