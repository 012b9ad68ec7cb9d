import { createContextKey, type HandlerContext } from '@connectrpc/connect';

/** What a key may be for; the words of `decorum.access.v1.Role`. */
export type CallerRole = 'tenant' | 'fetcher' | 'legal' | 'finance' | 'operator';

/** Who calls, as its key says (T1). */
export type Caller = {
  readonly keyId: string;
  readonly role: CallerRole;
  /** Set exactly for the role `tenant`. */
  readonly tenantId?: string;
};

/** Where the gate puts the caller. */
export const callerKey = createContextKey<Caller | undefined>(undefined, { description: 'caller' });

/** The caller of a method that declares roles. */
export function requireCaller(context: Pick<HandlerContext, 'values'>): Caller {
  const caller = context.values.get(callerKey);
  if (caller === undefined) throw new Error('T1: a method without a caller asks who calls');
  return caller;
}

/** T1: the calling tenant, from its key; there is no other source. For methods that only tenants may call. */
export function requireTenant(context: Pick<HandlerContext, 'values'>): string {
  const { role, tenantId } = requireCaller(context);
  if (role !== 'tenant' || tenantId === undefined) throw new Error(`T1: a ${role} has no tenant`);
  return tenantId;
}
