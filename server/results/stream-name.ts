import type { ResultStreamKey } from '../store/result-stream-key.ts';
import { resultStreamName } from './nats/result-stream-name.ts';

/** The broker's stream of these results. */
export function streamNameOf({ tenantId, lane, cell, generation }: ResultStreamKey): string {
  return resultStreamName({ tenant: tenantId, lane, cell, generation });
}
