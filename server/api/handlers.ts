import type { ConnectRouter } from '@connectrpc/connect';
import { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import { ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import { CrawlService } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import { ResultService } from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import { FetchService } from '@decorum/proto/decorum/fetch/v1/fetch_service_pb.ts';

import { completeService } from './calls/complete-service.ts';
import { listPurposes, type ListPurposesDeps } from './tenant/list-purposes.ts';

/** What the handlers need: the sum of what each one asks for. */
export type HandlerDeps = ListPurposesDeps;

/** Our services, in the order in which reflection lists them. */
export const SERVICES = [CrawlService, ContentService, ResultService, FetchService, TenantService] as const;

/**
 * Every RPC of ours, each from a file of its own (`<service>/<method>.ts`). What is missing here answers UNIMPLEMENTED.
 */
export function routeServices(router: ConnectRouter, deps: HandlerDeps): void {
  router.service(CrawlService, completeService(CrawlService, {}));
  router.service(ContentService, completeService(ContentService, {}));
  router.service(ResultService, completeService(ResultService, {}));
  router.service(FetchService, completeService(FetchService, {}));
  router.service(TenantService, completeService(TenantService, { listPurposes: listPurposes(deps) }));
}
