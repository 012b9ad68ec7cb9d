import { durationMs, timestampDate } from '@bufbuild/protobuf/wkt';
import {
  WaitReason,
  type ExplainUrlResponse,
  type Wait,
} from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import { RefusalReason } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import { givenNameOf, nameOf, type EnumName, type GivenName } from '../../client/enum-names.ts';
import { defineCommand } from '../command-module.ts';
import { EXIT } from '../exit-code.ts';
import { toRequestView, type RequestView } from './request-view.ts';

type WaitView = {
  readonly reason: EnumName<typeof WaitReason>;
  readonly until?: Date;
  readonly detail: string;
};

type Explanation = {
  readonly canonicalUrl: string;
  readonly site: string;
  readonly refusal?: GivenName<typeof RefusalReason>;
  readonly detail: string;
  readonly request?: RequestView;
  readonly waits: readonly WaitView[];
  readonly requestsAhead: number;
  readonly estimatedWaitMs?: number;
  readonly lastResultRequestId: string;
  readonly lastCapturedAt?: Date;
};

/** `decorum explain`. */
export const explain = defineCommand<object>({
  name: 'explain',
  summary: 'say where a URL is, what it waits for and until when',
  configure: (command) => command.argument('<url>', 'as it would be submitted'),
  async run(context, { args: [url = ''] }) {
    const answer = await context.tenant().api.crawl.explainUrl({ url }, { signal: context.signal });
    const explanation = toExplanation(answer);
    await context.printFields(explanation, explanationFields(explanation));
    return explanation.refusal === undefined ? EXIT.ok : EXIT.refused;
  },
});

function toExplanation(answer: ExplainUrlResponse): Explanation {
  const { canonicalUrl, site, detail, request, estimatedWait, lastResultRequestId, lastCapturedAt } = answer;
  const refusal = givenNameOf(RefusalReason, answer.refusal);
  return {
    ...{ canonicalUrl, site, detail, lastResultRequestId },
    ...(refusal !== undefined && { refusal }),
    ...(request !== undefined && { request: toRequestView(request) }),
    waits: answer.waits.map(toWaitView),
    requestsAhead: Number(answer.requestsAhead),
    ...(estimatedWait !== undefined && { estimatedWaitMs: durationMs(estimatedWait) }),
    ...(lastCapturedAt !== undefined && { lastCapturedAt: timestampDate(lastCapturedAt) }),
  };
}

function toWaitView({ reason, until, detail }: Wait): WaitView {
  const view = { reason: nameOf(WaitReason, reason), detail };
  return until === undefined ? view : { ...view, until: timestampDate(until) };
}

function explanationFields(explanation: Explanation): Record<string, string | number | undefined> {
  const { request, estimatedWaitMs, refusal } = explanation;
  const isAsked = refusal === undefined;
  return {
    url: explanation.canonicalUrl,
    site: explanation.site,
    refused: refusal,
    detail: explanation.detail,
    request: request?.requestId ?? (isAsked ? 'none pending; the waits are those of a new one' : undefined),
    state: request?.state,
    tried: request?.attempts,
    deadline: request?.deadline?.toISOString(),
    ...Object.fromEntries(explanation.waits.map(waitField)),
    ahead: isAsked ? explanation.requestsAhead : undefined,
    'estimated wait': estimatedWaitMs === undefined ? undefined : `${Math.ceil(estimatedWaitMs / 1_000)} s`,
    'last request': explanation.lastResultRequestId,
    'last captured': explanation.lastCapturedAt?.toISOString(),
  };
}

function waitField({ reason, until, detail }: WaitView): [string, string] {
  const name = `waits: ${reason.toLowerCase().replaceAll('_', ' ')}`;
  return [name, until === undefined ? detail : `until ${until.toISOString()}, ${detail}`];
}
