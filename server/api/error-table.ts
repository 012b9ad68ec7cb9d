import { Code } from '@connectrpc/connect';

import type { DomainErrorKind } from '../runtime/domain-error.ts';

/** The code of each kind. A kind without a line does not compile. */
export const CODE_OF_KIND: Readonly<Record<DomainErrorKind, Code>> = {
  invalid: Code.InvalidArgument,
  unauthenticated: Code.Unauthenticated,
  forbidden: Code.PermissionDenied,
  not_found: Code.NotFound,
  already_exists: Code.AlreadyExists,
  conflict: Code.Aborted,
  failed_precondition: Code.FailedPrecondition,
  quota: Code.ResourceExhausted,
  unavailable: Code.Unavailable,
  deadline: Code.DeadlineExceeded,
  cancelled: Code.Canceled,
  data_loss: Code.DataLoss,
  not_built: Code.Unimplemented,
};

/** The reason of an error that the transport itself raised: about messages, deadlines, compression. */
export const TRANSPORT_REASON: Readonly<Record<Code, string>> = {
  [Code.Canceled]: 'CANCELLED',
  [Code.Unknown]: 'INTERNAL',
  [Code.InvalidArgument]: 'MALFORMED_REQUEST',
  [Code.DeadlineExceeded]: 'DEADLINE_EXCEEDED',
  [Code.NotFound]: 'NOT_FOUND',
  [Code.AlreadyExists]: 'ALREADY_EXISTS',
  [Code.PermissionDenied]: 'PERMISSION_DENIED',
  [Code.ResourceExhausted]: 'MESSAGE_TOO_LARGE',
  [Code.FailedPrecondition]: 'FAILED_PRECONDITION',
  [Code.Aborted]: 'ABORTED',
  [Code.OutOfRange]: 'OUT_OF_RANGE',
  [Code.Unimplemented]: 'NOT_SUPPORTED',
  [Code.Internal]: 'INTERNAL',
  [Code.Unavailable]: 'UNAVAILABLE',
  [Code.DataLoss]: 'DATA_LOSS',
  [Code.Unauthenticated]: 'UNAUTHENTICATED',
};
