import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { MethodImpl } from '@connectrpc/connect';
import { RoleSchema } from '@decorum/proto/decorum/access/v1/access_pb.ts';
import type { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import { DomainError } from '../../runtime/domain-error.ts';
import type { KeyRole, NewKey } from '../../store/keys.ts';
import { enumText } from '../convert/enum-text.ts';
import { makeKey } from '../keys/make-key.ts';
import { tenantMissing } from './from-tenant.ts';
import type { GetTenantDeps } from './get-tenant.ts';

/** What CreateKey needs. */
export type CreateKeyDeps = GetTenantDeps & { readonly insertKey: (key: NewKey) => Promise<void> };

/** TenantService.CreateKey. */
export function createKey(deps: CreateKeyDeps): MethodImpl<typeof TenantService.method.createKey> {
  return async (request) => {
    const role = enumText(RoleSchema, request.role).toLowerCase() as KeyRole;
    const tenantId = request.tenantId === '' ? null : request.tenantId;
    if ((role === 'tenant') !== (tenantId !== null)) throw tenantMisplaced(role);
    if (tenantId !== null && (await deps.loadTenant(tenantId)) === undefined) throw tenantMissing();
    const { keyId, key, secretSha256 } = makeKey();
    const expiresAt = request.expiresAt === undefined ? null : timestampDate(request.expiresAt);
    await deps.insertKey({
      keyId,
      role,
      tenantId,
      secretSha256,
      displayName: request.displayName,
      expiresAt,
    });
    return { keyId, key };
  };
}

function tenantMisplaced(role: KeyRole): DomainError {
  return new DomainError({
    kind: 'invalid',
    reason: 'TENANT_MISPLACED',
    field: 'tenant_id',
    message:
      role === 'tenant'
        ? 'a tenant key needs the tenant it is for'
        : `a key with the role ${role} belongs to no tenant`,
  });
}
