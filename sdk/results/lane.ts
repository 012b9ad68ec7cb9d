import { Lane } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';

/** Results of bands 6 and 7 come on `urgent`, the others on `bulk`; each lane is numbered and delivered on its own. */
export type LaneName = 'urgent' | 'bulk';

/** The lanes. */
export const LANES: readonly LaneName[] = ['urgent', 'bulk'];

/** The message's value for a lane. */
export function toLane(lane: LaneName): Lane {
  return lane === 'urgent' ? Lane.URGENT : Lane.BULK;
}

/** The name of the message's value. */
export function fromLane(lane: Lane): LaneName {
  return lane === Lane.URGENT ? 'urgent' : 'bulk';
}
