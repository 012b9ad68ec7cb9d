import { create, toBinary } from '@bufbuild/protobuf';
import { durationFromMs } from '@bufbuild/protobuf/wkt';
import { Lane } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import { ResultKind, ResultNoticeSchema } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import type { NoticeRow } from '../store/load-notices.ts';
import type { ResultStreamKey } from '../store/result-stream-key.ts';

/**
 * The message that tells of a result: ids, sizes and times, since a broker cannot be made to forget what it carried. No
 * URL, host, title, header or digest.
 */
export function toResultNotice(stream: ResultStreamKey, row: NoticeRow): Uint8Array {
  const { number, requestId, kind, captureId, statusCode, bodyBytes, totalMs, label } = row;
  const notice = create(ResultNoticeSchema, {
    number,
    lane: stream.lane === 'urgent' ? Lane.URGENT : Lane.BULK,
    cell: stream.cell,
    generation: stream.generation,
    requestId,
    kind: ResultKind[kind],
    statusCode: statusCode ?? 0,
    bodyBytes: bodyBytes ?? 0n,
    captureId: captureId ?? '',
    label,
    ...(totalMs === null ? {} : { totalTime: durationFromMs(totalMs) }),
  });
  return toBinary(ResultNoticeSchema, notice);
}
