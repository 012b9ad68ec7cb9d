import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import { durationFromMs } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  QuotaFailureSchema,
  RetryInfoSchema,
} from '@decorum/proto/google/rpc/error_details_pb.ts';

import { DomainError } from '../../runtime/domain-error.ts';
import { CODE_OF_KIND, TRANSPORT_REASON } from '../error-table.ts';

/** The domain of every `ErrorInfo` of ours. */
export const ERROR_DOMAIN = 'decorum';

/** Logs an unexpected error and answers the id under which it is found. */
export type ReportInternal = (cause: unknown) => string;

/**
 * What the caller sees of an error: a `DomainError` by the table, an error of the transport as it is, anything else as
 * INTERNAL with its text withheld and the id of its log line in the metadata. The answer has exactly one `ErrorInfo`.
 */
export function toConnectError(error: unknown, reportInternal: ReportInternal): ConnectError {
  if (error instanceof DomainError) return fromDomainError(error);
  if (error instanceof ConnectError && !error.isWireError) {
    const shown = withErrorInfo(error);
    if (shown.code !== Code.Internal && shown.code !== Code.Unknown) return shown;
  }
  return internalError(error, reportInternal);
}

/**
 * Completes an error that the transport raised: an `ErrorInfo`, and INVALID_ARGUMENT for bytes that are no message, which
 * connect calls INTERNAL although it blames the caller when the same happens in JSON.
 */
export function withErrorInfo(error: ConnectError): ConnectError {
  if (error.findDetails(ErrorInfoSchema).length > 0) return error;
  if (error.code === Code.Internal && error.rawMessage.startsWith('parse binary: ')) {
    Object.assign(error, { code: Code.InvalidArgument });
  }
  error.details.push(detail(ErrorInfoSchema, { reason: TRANSPORT_REASON[error.code], domain: ERROR_DOMAIN }));
  return error;
}

function internalError(cause: unknown, reportInternal: ReportInternal): ConnectError {
  const metadata = { errorId: reportInternal(cause) };
  const info = detail(ErrorInfoSchema, { reason: 'INTERNAL', domain: ERROR_DOMAIN, metadata });
  const message = 'something went wrong on our side; tell the operators the errorId';
  return new ConnectError(message, Code.Internal, undefined, [info], cause);
}

function fromDomainError(error: DomainError): ConnectError {
  const { kind, reason, metadata, violations, retryAfterMs } = error;
  const details = [detail(ErrorInfoSchema, { reason, domain: ERROR_DOMAIN, metadata: { ...metadata } })];
  const headers: Record<string, string> = {};
  if (violations.length > 0) {
    details.push(
      detail(BadRequestSchema, { fieldViolations: violations.map((violation) => ({ ...violation })) }),
    );
  }
  if (kind === 'quota') details.push(quotaDetail(error));
  if (kind === 'unauthenticated') headers['www-authenticate'] = 'Bearer realm="decorum"';
  if (retryAfterMs !== undefined) {
    details.push(detail(RetryInfoSchema, { retryDelay: durationFromMs(retryAfterMs) }));
    headers['retry-after'] = String(Math.ceil(retryAfterMs / 1_000));
  }
  return new ConnectError(error.message, CODE_OF_KIND[kind], headers, details, error.cause);
}

function quotaDetail({ message, reason, metadata }: DomainError) {
  const limit = metadata['limit'] ?? '';
  return detail(QuotaFailureSchema, {
    violations: [
      {
        subject: metadata['subject'] ?? '',
        description: message,
        quotaMetric: metadata['quota'] ?? reason,
        quotaValue: /^[0-9]{1,18}$/.test(limit) ? BigInt(limit) : 0n,
      },
    ],
  });
}

function detail<Desc extends DescMessage>(desc: Desc, value: MessageInitShape<Desc>) {
  return { desc: desc as DescMessage, value: value as MessageInitShape<DescMessage> };
}
