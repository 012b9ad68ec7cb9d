import type { MethodImpl } from '@connectrpc/connect';
import { BodyCoding, type ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import type { BodyInput } from '../../archive/content/read-body.ts';
import { requireTenant } from '../caller.ts';

/** What ReadBody needs. */
export type ReadBodyDeps = { readonly readBody: (input: BodyInput) => AsyncIterable<Uint8Array> };

/** ContentService.ReadBody. */
export function readBody(deps: ReadBodyDeps): MethodImpl<typeof ContentService.method.readBody> {
  return async function* ({ captureId, coding }, context) {
    const chunks = deps.readBody({
      tenantId: requireTenant(context),
      captureId: captureId.toLowerCase(),
      coding: coding === BodyCoding.RAW ? 'RAW' : 'DECODED',
    });
    for await (const chunk of chunks) yield { chunk };
  };
}
