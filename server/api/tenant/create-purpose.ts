import type { MethodImpl } from '@connectrpc/connect';
import type { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import { DomainError } from '../../runtime/domain-error.ts';
import type { PurposeRow } from '../../store/purposes.ts';

/** What CreatePurpose needs. */
export type CreatePurposeDeps = {
  readonly productToken: string;
  /** Undefined: the code is taken. */
  readonly insertPurpose: (purpose: PurposeRow) => Promise<PurposeRow | undefined>;
};

/** TenantService.CreatePurpose. The robots token follows from the code: AI_TRAIN is "decorumbot-ai-train". */
export function createPurpose(
  deps: CreatePurposeDeps,
): MethodImpl<typeof TenantService.method.createPurpose> {
  return async ({ code, description }) => {
    const robotsToken = `${deps.productToken}-${code.toLowerCase().replaceAll('_', '-')}`;
    const purpose = await deps.insertPurpose({ code, description, robotsToken });
    if (purpose !== undefined) return { purpose };
    throw new DomainError({
      kind: 'already_exists',
      reason: 'PURPOSE_EXISTS',
      field: 'code',
      message: 'a purpose of this code exists',
    });
  };
}
