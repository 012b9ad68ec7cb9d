import type { MethodImpl } from '@connectrpc/connect';
import type { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import { DomainError } from '../../runtime/domain-error.ts';

/** What RevokeKey needs. */
export type RevokeKeyDeps = { readonly revokeKey: (keyId: string) => Promise<boolean> };

/** TenantService.RevokeKey. */
export function revokeKey(deps: RevokeKeyDeps): MethodImpl<typeof TenantService.method.revokeKey> {
  return async ({ keyId }) => {
    if (await deps.revokeKey(keyId)) return {};
    throw new DomainError({
      kind: 'not_found',
      reason: 'KEY_NOT_FOUND',
      field: 'key_id',
      message: 'there is no key of this id; it is the part of the key between "dk_" and the next "_"',
    });
  };
}
