import { toBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { MethodImpl } from '@connectrpc/connect';
import { SubmitRequestSchema, type CrawlService } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import {
  ExtractionSchema,
  Reason,
  ReasonSchema,
  RefusalReasonSchema,
  SubmitStatusSchema,
  type FetchRequest,
} from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import type { SubmitItem } from '../../frontier/decide-submit.ts';
import type { SubmitInput, SubmitOutcome } from '../../frontier/submit.ts';
import { requireTenant } from '../caller.ts';
import { durationMs } from '../convert/duration-ms.ts';
import { enumText, enumValue } from '../convert/enum-text.ts';

/** What Submit needs. */
export type SubmitDeps = {
  readonly submit: (input: SubmitInput) => Promise<readonly SubmitOutcome[]>;
};

/** CrawlService.Submit. */
export function submit(deps: SubmitDeps): MethodImpl<typeof CrawlService.method.submit> {
  return async (request, context) => {
    const outcomes = await deps.submit({
      tenantId: requireTenant(context),
      requestId: request.requestId,
      payload: toBinary(SubmitRequestSchema, request, { writeUnknownFields: false }),
      items: request.requests.map(toItem),
    });
    return { outcomes: outcomes.map(fromOutcome) };
  };
}

function toItem(request: FetchRequest): SubmitItem {
  return {
    url: request.url,
    band: request.band,
    reason: enumText(ReasonSchema, request.reason === Reason.UNSPECIFIED ? Reason.DISCOVERY : request.reason),
    tier: request.tier,
    label: request.label,
    notBefore: request.notBefore && timestampDate(request.notBefore),
    deadline: request.deadline && timestampDate(request.deadline),
    maxAgeMs: durationMs(request.maxAge),
    onlyIfNew: request.onlyIfNew,
    maxBodyBytes: request.maxBodyBytes,
    extract: request.extract.map((value) => enumText(ExtractionSchema, value)),
    clientRef: request.clientRef,
  };
}

function fromOutcome(outcome: SubmitOutcome) {
  const status = enumValue(SubmitStatusSchema, outcome.status);
  switch (outcome.status) {
    case 'KNOWN':
      return { status };
    case 'REFUSED': {
      const { reason, field, detail } = outcome.refusal;
      return { status, refusal: enumValue(RefusalReasonSchema, reason), field, detail };
    }
    case 'ACCEPTED':
    case 'ALREADY_PENDING':
    case 'ANSWERED':
      return { status, requestId: outcome.requestId };
  }
}
