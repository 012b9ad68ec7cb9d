import type { MethodImpl } from '@connectrpc/connect';
import { ResultStatusSchema, type ResultService } from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import type { Reading, ResultItem, StreamSelection } from '../../results/read-results.ts';
import { DomainError } from '../../runtime/domain-error.ts';
import { requireTenant } from '../caller.ts';
import { enumValue } from '../convert/enum-text.ts';
import { fromResult } from './from-result.ts';
import { toLane } from './lane.ts';

/** What GetResults needs. */
export type GetResultsDeps = {
  readonly getResultsByNumber: (
    tenantId: string,
    selection: StreamSelection,
    numbers: readonly bigint[],
  ) => Promise<Reading<readonly ResultItem[]>>;
  readonly getResultsByRequest: (
    tenantId: string,
    requestIds: readonly string[],
  ) => Promise<Reading<readonly ResultItem[]>>;
};

/** ResultService.GetResults. */
export function getResults(deps: GetResultsDeps): MethodImpl<typeof ResultService.method.getResults> {
  return async ({ lane, numbers, requestIds, cell, generation }, context) => {
    const tenantId = requireTenant(context);
    if (numbers.length > 0 && requestIds.length > 0) throw eitherOr();
    const { read, purposes } =
      numbers.length > 0
        ? await deps.getResultsByNumber(tenantId, { lane: toLane(lane), cell, generation }, numbers)
        : await deps.getResultsByRequest(
            tenantId,
            requestIds.map((requestId) => requestId.toLowerCase()),
          );
    return {
      items: read.map((item) => ({
        status: enumValue(ResultStatusSchema, item.status),
        ...(item.status === 'FOUND' && { result: fromResult(item, purposes) }),
      })),
    };
  };
}

function eitherOr(): DomainError {
  return new DomainError({
    kind: 'invalid',
    reason: 'NUMBERS_OR_REQUEST_IDS',
    field: 'request_ids',
    message: 'ask by numbers or by request ids, not by both in one call',
  });
}
