import type { DescMethod, DescService } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import { ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import { CrawlService } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import { ResultService } from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import { FetchService } from '@decorum/proto/decorum/fetch/v1/fetch_service_pb.ts';

const SERVICES: readonly DescService[] = [
  CrawlService,
  ContentService,
  ResultService,
  TenantService,
  FetchService,
];

/**
 * Calls that change something and may still be sent twice, with what makes that so. The others that change something
 * (CreateKey, CreatePurpose, Lease: a lost answer would hold gates that nobody knows of) are never repeated.
 */
const IDEMPOTENT: ReadonlySet<DescMethod> = new Set<DescMethod>([
  CrawlService.method.submit, // request_id
  CrawlService.method.cancel, // ends what has not ended
  CrawlService.method.setFreshnessTargets, // replaces
  ContentService.method.readBody, // reads; a stream can't be marked NO_SIDE_EFFECTS
  ContentService.method.readRecords, // reads
  ResultService.method.openResults, // the group keeps its position
  ResultService.method.reportIndexed, // the first report counts
  ResultService.method.deleteGroup,
  ResultService.method.acknowledgeNotice, // the first one counts
  ResultService.method.checkCompliance, // reads
  TenantService.method.createTenant, // request_id
  TenantService.method.updateTenant, // replaces
  TenantService.method.suspendTenant, // sets
  TenantService.method.revokeKey,
  FetchService.method.renew, // prolongs from now
  FetchService.method.complete, // lease token and attempt
  FetchService.method.release, // lease token
  FetchService.method.closeSegment,
]);

const SAFE: ReadonlySet<DescMethod> = new Set(
  SERVICES.flatMap((service) => service.methods).filter(
    (method) => method.idempotency === IdempotencyLevel.NO_SIDE_EFFECTS || IDEMPOTENT.has(method),
  ),
);

/** Whether a call may be sent again when its answer was lost: reads, and those in the list above. */
export function isSafeMethod(method: DescMethod): boolean {
  return SAFE.has(method);
}
