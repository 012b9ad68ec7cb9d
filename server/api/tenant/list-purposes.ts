import type { MethodImpl } from '@connectrpc/connect';
import type { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';

/** Why a tenant may crawl. */
export type PurposeRow = {
  /** As `SEARCH`. */
  readonly code: string;
  readonly description: string;
  /** As `decorumbot-ai-train`. */
  readonly robotsToken: string;
};

/** What ListPurposes needs. */
export type ListPurposesDeps = {
  /** All purposes by code. */
  readonly listPurposes: (signal: AbortSignal) => Promise<readonly PurposeRow[]>;
};

/** TenantService.ListPurposes. */
export function listPurposes(deps: ListPurposesDeps): MethodImpl<typeof TenantService.method.listPurposes> {
  return async (_request, { signal }) => {
    const purposes = await deps.listPurposes(signal);
    return { purposes: purposes.map((purpose) => ({ ...purpose })) };
  };
}
