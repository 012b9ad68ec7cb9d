import type { MethodImpl } from '@connectrpc/connect';
import type { ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import type { CaptureReading } from '../../archive/content/get-capture.ts';
import { requireTenant } from '../caller.ts';
import { fromCapture } from './from-capture.ts';

/** What GetCapture needs. */
export type GetCaptureDeps = {
  readonly getCapture: (tenantId: string, captureId: string) => Promise<CaptureReading>;
};

/** ContentService.GetCapture. */
export function getCapture(deps: GetCaptureDeps): MethodImpl<typeof ContentService.method.getCapture> {
  return async ({ captureId }, context) => {
    const reading = await deps.getCapture(requireTenant(context), captureId.toLowerCase());
    return { capture: fromCapture(reading.capture, reading.purposes) };
  };
}
