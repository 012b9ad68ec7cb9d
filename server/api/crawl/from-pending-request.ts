import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ReasonSchema, RequestStateSchema } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import type { PendingRequest } from '../../store/pending-request.ts';
import { enumValue } from '../convert/enum-text.ts';

/** A pending request as the contract shows it. */
export function fromPendingRequest({ state, reason, submittedAt, dueAt, deadline, ...rest }: PendingRequest) {
  return {
    ...rest,
    state: enumValue(RequestStateSchema, state),
    reason: enumValue(ReasonSchema, reason),
    submittedAt: timestampFromDate(submittedAt),
    deadline: timestampFromDate(deadline),
    ...(dueAt !== null && { dueAt: timestampFromDate(dueAt) }),
  };
}
