import { fromBinary } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { StatusSchema } from '@decorum/proto/google/rpc/status_pb.ts';
import type { StatusObject } from '@grpc/grpc-js';
import { status as Status } from '@grpc/grpc-js';

/** gRPC and Connect number their codes alike; OK is not among Connect's. */
const CODES: ReadonlyMap<number, Code> = new Map(
  Object.values(Code)
    .filter((code) => typeof code === 'number')
    .map((code) => [code, code]),
);
const DETAILS = 'grpc-status-details-bin';

/**
 * A failed gRPC status as a `ConnectError` with its details, so that callers use `findDetails` as with any Connect
 * transport. `metadata` is what the call received. An unreadable detail is left out; the code and the text stay.
 *
 * A stream that was reset or ended without a status is UNAVAILABLE: the answer was lost, whatever became of the call.
 */
export function toConnectError(status: StatusObject, metadata: Headers): ConnectError {
  if (isLostAnswer(status)) {
    return new ConnectError(
      `the connection was lost before the answer came (${status.details})`,
      Code.Unavailable,
      metadata,
    );
  }
  const rich = readDetails(status);
  const code = CODES.get(status.code) ?? Code.Unknown;
  const error = new ConnectError(rich?.message ?? unescapeText(status.details), code, metadata);
  error.details = (rich?.details ?? []).map(({ typeUrl, value }) => ({
    type: typeUrl.slice(typeUrl.lastIndexOf('/') + 1),
    value,
  }));
  return error;
}

/** These texts are grpc-js's own, for what it makes INTERNAL and CANCELLED of; a server that is torn down causes them. */
function isLostAnswer({ code, details }: StatusObject): boolean {
  return (
    (code === Status.INTERNAL && details.startsWith('Received RST_STREAM')) ||
    (code === Status.CANCELLED && details === 'Call cancelled')
  );
}

function readDetails(status: StatusObject) {
  const [bytes] = status.metadata.get(DETAILS);
  if (bytes === undefined || typeof bytes === 'string') return undefined;
  try {
    return fromBinary(StatusSchema, bytes);
  } catch {
    return undefined;
  }
}

/** grpc-js has decoded grpc-message but for these characters. */
function unescapeText(text: string): string {
  return text.replace(/%(?:2[346BCF]|3[ABDF]|40)/gi, (escape) => decodeURIComponent(escape));
}
