import type { ConnectRouter } from '@connectrpc/connect';
import { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import { ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import { CrawlService } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import { ResultService } from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import { FetchService } from '@decorum/proto/decorum/fetch/v1/fetch_service_pb.ts';

import { completeService } from './calls/complete-service.ts';
import { contentHandlers, type ContentHandlerDeps } from './content/content-handlers.ts';
import { crawlHandlers, type CrawlHandlerDeps } from './crawl/crawl-handlers.ts';
import { complete, type CompleteDeps } from './fetch/complete.ts';
import { lease, type LeaseDeps } from './fetch/lease.ts';
import { release, type ReleaseDeps } from './fetch/release.ts';
import { renew, type RenewDeps } from './fetch/renew.ts';
import { closeSegment, openSegment, type SegmentDeps } from './fetch/segments.ts';
import { resultHandlers, type ResultHandlerDeps } from './result/result-handlers.ts';
import { createKey, type CreateKeyDeps } from './tenant/create-key.ts';
import { createPurpose, type CreatePurposeDeps } from './tenant/create-purpose.ts';
import { createTenant, type CreateTenantDeps } from './tenant/create-tenant.ts';
import { getTenant, type GetTenantDeps } from './tenant/get-tenant.ts';
import { listPurposes, type ListPurposesDeps } from './tenant/list-purposes.ts';
import { listTenants, type ListTenantsDeps } from './tenant/list-tenants.ts';
import { revokeKey, type RevokeKeyDeps } from './tenant/revoke-key.ts';
import { suspendTenant, type SuspendTenantDeps } from './tenant/suspend-tenant.ts';
import { updateTenant, type UpdateTenantDeps } from './tenant/update-tenant.ts';

/** What the handlers need: the sum of what each one asks for. */
export type HandlerDeps = CrawlHandlerDeps & ContentHandlerDeps & ResultHandlerDeps & FetchDeps & TenantDeps;

type FetchDeps = LeaseDeps & RenewDeps & CompleteDeps & ReleaseDeps & SegmentDeps;
type TenantDeps = CreateTenantDeps &
  GetTenantDeps &
  UpdateTenantDeps &
  SuspendTenantDeps &
  ListTenantsDeps &
  CreateKeyDeps &
  RevokeKeyDeps &
  CreatePurposeDeps &
  ListPurposesDeps;

/** Our services, in the order in which reflection lists them. */
export const SERVICES = [CrawlService, ContentService, ResultService, FetchService, TenantService] as const;

/**
 * Every RPC of ours, each from a file of its own (`<service>/<method>.ts`). What is missing here answers UNIMPLEMENTED.
 */
export function routeServices(router: ConnectRouter, deps: HandlerDeps): void {
  router.service(CrawlService, completeService(CrawlService, crawlHandlers(deps)));
  router.service(ContentService, completeService(ContentService, contentHandlers(deps)));
  router.service(ResultService, completeService(ResultService, resultHandlers(deps)));
  router.service(
    FetchService,
    completeService(FetchService, {
      lease: lease(deps),
      renew: renew(deps),
      complete: complete(deps),
      release: release(deps),
      openSegment: openSegment(deps),
      closeSegment: closeSegment(deps),
    }),
  );
  router.service(
    TenantService,
    completeService(TenantService, {
      createTenant: createTenant(deps),
      getTenant: getTenant(deps),
      updateTenant: updateTenant(deps),
      suspendTenant: suspendTenant(deps),
      listTenants: listTenants(deps),
      createKey: createKey(deps),
      revokeKey: revokeKey(deps),
      createPurpose: createPurpose(deps),
      listPurposes: listPurposes(deps),
    }),
  );
}
