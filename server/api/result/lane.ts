import { Lane } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import { DomainError } from '../../runtime/domain-error.ts';
import type { ResultLane } from '../../store/result-stream-key.ts';

/** A lane as the contract spells it. */
export function fromLane(lane: ResultLane): Lane {
  return lane === 'urgent' ? Lane.URGENT : Lane.BULK;
}

/** A lane as the stages name it. Throws `invalid` when none was given. */
export function toLane(lane: Lane): ResultLane {
  if (lane === Lane.URGENT) return 'urgent';
  if (lane === Lane.BULK) return 'bulk';
  throw new DomainError({
    kind: 'invalid',
    reason: 'LANE_MISSING',
    field: 'lane',
    message: 'numbers belong to a lane: give LANE_URGENT or LANE_BULK',
  });
}
