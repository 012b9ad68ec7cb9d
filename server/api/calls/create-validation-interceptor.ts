import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { pathToString } from '@bufbuild/protobuf/reflect';
import { createValidator } from '@bufbuild/protovalidate';
import type { Interceptor } from '@connectrpc/connect';

import { DomainError } from '../../runtime/domain-error.ts';
import { isPublic } from './required-roles.ts';

const VIOLATIONS_MAX = 20;

/** Holds each request message to the protovalidate rules of its .proto: INVALID_ARGUMENT with the fields to blame. */
export function createValidationInterceptor(): Interceptor {
  const validator = createValidator();

  const assertValid = <Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): void => {
    const result = validator.validate(desc, message);
    if (result.kind === 'valid') return;
    if (result.kind === 'error') throw result.error;
    const violations = result.violations.slice(0, VIOLATIONS_MAX).map(({ field, message, ruleId }) => ({
      field: pathToString(field),
      description: message,
      reason: ruleId.toUpperCase().replaceAll('.', '_'),
    }));
    const [first] = violations;
    throw new DomainError({
      kind: 'invalid',
      reason: 'INVALID_FIELD',
      message: `${first?.field ?? 'the request'}: ${first?.description ?? 'is invalid'}`,
      violations,
    });
  };

  return (next) => (request) => {
    if (isPublic(request.service)) return next(request);
    if (!request.stream) {
      assertValid(request.method.input, request.message);
      return next(request);
    }
    return next({
      ...request,
      message: validated(request.message, (message) => assertValid(request.method.input, message)),
    });
  };
}

async function* validated<T>(
  messages: AsyncIterable<T>,
  assertValid: (message: T) => void,
): AsyncIterable<T> {
  for await (const message of messages) {
    assertValid(message);
    yield message;
  }
}
