import type { MethodImpl } from '@connectrpc/connect';
import type { ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import type { RecordPiece } from '../../archive/content/read-records.ts';
import { requireTenant } from '../caller.ts';

/** What ReadRecords needs. */
export type ReadRecordsDeps = {
  readonly readRecords: (tenantId: string, captureIds: readonly string[]) => AsyncIterable<RecordPiece>;
};

/** ContentService.ReadRecords. */
export function readRecords(deps: ReadRecordsDeps): MethodImpl<typeof ContentService.method.readRecords> {
  return async function* ({ captureIds }, context) {
    const ids = captureIds.map((captureId) => captureId.toLowerCase());
    yield* deps.readRecords(requireTenant(context), ids);
  };
}
