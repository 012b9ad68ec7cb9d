import type { DescMethod } from '@bufbuild/protobuf';

import type { ApiLimits } from '../limits.ts';
import { isPublic } from './required-roles.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/**
 * Gives a call a deadline within the limits, where connect would refuse a longer one and takes none for eternity, and
 * answers it in milliseconds. A malformed one stays, for connect to complain about. Health's Watch is open-ended.
 */
export function boundDeadline(
  header: Headers,
  method: DescMethod,
  { callMsMax, streamMsMax }: Pick<ApiLimits, 'callMsMax' | 'streamMsMax'>,
): number | undefined {
  if (isPublic(method.parent) && method.methodKind === 'server_streaming') return undefined;
  const maxMs = method.methodKind === 'unary' ? callMsMax : streamMsMax;
  const isGrpc = header.get('content-type')?.startsWith('application/grpc') === true;
  const name = isGrpc ? 'grpc-timeout' : 'connect-timeout-ms';
  const given = header.get(name);
  if (given !== null) {
    const askedMs = isGrpc ? parseGrpcTimeout(given) : parseConnectTimeout(given);
    if (askedMs === undefined || askedMs <= maxMs) return askedMs ?? maxMs;
  }
  header.set(name, isGrpc ? `${maxMs}m` : String(maxMs));
  return maxMs;
}

/** `TimeoutValue TimeoutUnit` of the gRPC protocol over HTTP/2. */
function parseGrpcTimeout(text: string): number | undefined {
  const match = /^([0-9]{1,8})([HMSmun])$/.exec(text);
  const unitMs = UNIT_MS[match?.[2] ?? ''];
  return unitMs === undefined ? undefined : Number(match?.[1]) * unitMs;
}

function parseConnectTimeout(text: string): number | undefined {
  return /^[0-9]{1,10}$/.test(text) ? Number(text) : undefined;
}
