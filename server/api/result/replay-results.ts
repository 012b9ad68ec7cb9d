import type { MethodImpl } from '@connectrpc/connect';
import type { ResultService } from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import type { Reading, ReplayPage, StreamSelection } from '../../results/read-results.ts';
import { requireTenant } from '../caller.ts';
import { fromResult } from './from-result.ts';
import { toLane } from './lane.ts';

/** What ReplayResults needs. */
export type ReplayResultsDeps = {
  readonly replayResults: (
    tenantId: string,
    selection: StreamSelection,
    page: { readonly fromNumber: bigint; readonly pageSize: number },
  ) => Promise<Reading<ReplayPage>>;
};

/** The contract's default. */
const PAGE_SIZE_DEFAULT = 100;

/** ResultService.ReplayResults. */
export function replayResults(
  deps: ReplayResultsDeps,
): MethodImpl<typeof ResultService.method.replayResults> {
  return async ({ lane, fromNumber, pageSize, cell, generation }, context) => {
    const { read, purposes } = await deps.replayResults(
      requireTenant(context),
      { lane: toLane(lane), cell, generation },
      { fromNumber, pageSize: pageSize === 0 ? PAGE_SIZE_DEFAULT : pageSize },
    );
    return {
      results: read.results.map((whole) => fromResult(whole, purposes)),
      ...(read.nextNumber !== undefined && { nextNumber: read.nextNumber }),
    };
  };
}
