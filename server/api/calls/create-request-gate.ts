import type { HandlerContext } from '@connectrpc/connect';

import { DomainError } from '../../runtime/domain-error.ts';
import { callerKey, type Caller } from '../caller.ts';
import { isPublic, requiredRoles } from './required-roles.ts';
import { toConnectError, type ReportInternal } from './to-connect-error.ts';

/** Who holds a key: null when no such key is valid. Throws a `DomainError` `unavailable` when it cannot tell. */
export type Authenticate = (token: string) => Promise<Caller | null>;

/** What the gate needs. */
export type RequestGateDeps = {
  readonly authenticate: Authenticate;
  readonly observe: (context: HandlerContext) => void;
  readonly reportInternal: ReportInternal;
};

const BEARER = /^Bearer +(dk_[A-Za-z0-9-]{1,64}_[A-Za-z0-9_-]{1,256})$/i;

/**
 * What happens to a call before its body is read: it is observed to its end, its key is looked up, its role is checked.
 * So that a stranger costs one header and no parsing.
 */
export function createRequestGate({ authenticate, observe, reportInternal }: RequestGateDeps) {
  return async (context: HandlerContext): Promise<void> => {
    observe(context);
    if (isPublic(context.service)) return;
    try {
      const caller = await identify(context.requestHeader.get('authorization'), authenticate);
      checkRole(caller, context);
      context.values.set(callerKey, caller);
    } catch (error) {
      throw toConnectError(error, reportInternal);
    }
  };
}

async function identify(authorization: string | null, authenticate: Authenticate): Promise<Caller> {
  if (authorization === null) {
    throw new DomainError({
      kind: 'unauthenticated',
      reason: 'KEY_MISSING',
      message:
        'send your key as "authorization: Bearer dk_..."; an operator makes keys with "npx decorum key"',
    });
  }
  const token = BEARER.exec(authorization)?.[1];
  const caller = token === undefined ? null : await authenticate(token);
  if (caller === null) {
    throw new DomainError({
      kind: 'unauthenticated',
      reason: 'KEY_INVALID',
      message:
        'this key is not known, was revoked or has expired; an operator makes keys with "npx decorum key"',
    });
  }
  if ((caller.role === 'tenant') !== (caller.tenantId !== undefined)) {
    throw new Error(
      `T1: a key with the role ${caller.role} ${caller.tenantId === undefined ? 'lacks' : 'has'} a tenant`,
    );
  }
  return caller;
}

function checkRole(caller: Caller, { method }: HandlerContext): void {
  const roles = requiredRoles(method);
  if (roles.includes(caller.role)) return;
  throw new DomainError({
    kind: 'forbidden',
    reason: 'ROLE_REQUIRED',
    message: `${method.name} is for the role ${roles.join(' or ')}; this key has the role ${caller.role}`,
    metadata: { requiredRoles: roles.join(','), role: caller.role },
  });
}
