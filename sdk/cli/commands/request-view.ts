import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Reason, RequestState, type PendingRequest } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import { nameOf, type EnumName } from '../../client/enum-names.ts';

/** A pending request as the commands show it. */
export type RequestView = {
  readonly requestId: string;
  readonly url: string;
  readonly state: EnumName<typeof RequestState>;
  readonly band: number;
  readonly reason: EnumName<typeof Reason>;
  readonly tier: string;
  readonly label: string;
  readonly attempts: number;
  readonly submittedAt?: Date;
  /** Absent while a redirect takes it elsewhere. */
  readonly dueAt?: Date;
  readonly deadline?: Date;
};

/** The message as a plain object. */
export function toRequestView(request: PendingRequest): RequestView {
  const { requestId, url, band, tier, label, attempts, submittedAt, dueAt, deadline } = request;
  return {
    ...{ requestId, url, band, tier, label, attempts },
    state: nameOf(RequestState, request.state),
    reason: nameOf(Reason, request.reason),
    ...(submittedAt !== undefined && { submittedAt: timestampDate(submittedAt) }),
    ...(dueAt !== undefined && { dueAt: timestampDate(dueAt) }),
    ...(deadline !== undefined && { deadline: timestampDate(deadline) }),
  };
}
