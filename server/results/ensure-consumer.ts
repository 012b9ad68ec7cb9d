import {
  AckPolicy,
  DeliverPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type ConsumerConfig,
  type ConsumerInfo,
  type JetStreamManager,
} from '@nats-io/jetstream';
import type { ResultGroupRow } from '../store/result-groups.ts';

/** How long a member of a group may work on a result before another one gets it, ms. */
export const ACK_WAIT_MS = 60_000;

/** Results that all members of a group together may have in work. */
export const ACK_PENDING_MAX = 10_000;

const NANOS_PER_MS = 1_000_000;
const CONSUMER_EXISTS_CODE = 10_148;

/**
 * Finds the durable consumer of a group, or makes one that goes on after what the group has acknowledged. An existing one
 * keeps its place. Undefined while the stream has not come that far: the broker would let the consumer begin earlier.
 */
export async function ensureConsumer(
  manager: JetStreamManager,
  stream: string,
  row: ResultGroupRow,
): Promise<ConsumerInfo | undefined> {
  const found = await findConsumer(manager, stream, row.group);
  if (found !== undefined) return found;
  const { state } = await manager.streams.info(stream);
  if (BigInt(state.last_seq) < row.acknowledgedThrough) return undefined;
  try {
    return await manager.consumers.add(stream, toConsumerConfig(row));
  } catch (error) {
    // Someone else has just made it, with another beginning.
    if (!(error instanceof JetStreamApiError) || error.code !== CONSUMER_EXISTS_CODE) throw error;
    return manager.consumers.info(stream, row.group);
  }
}

async function findConsumer(
  manager: JetStreamManager,
  stream: string,
  group: string,
): Promise<ConsumerInfo | undefined> {
  try {
    return await manager.consumers.info(stream, group);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound)
      return undefined;
    throw error;
  }
}

/** A result that keeps failing is delivered again and again: giving up is the tenant's decision (D1). */
function toConsumerConfig(row: ResultGroupRow): Partial<ConsumerConfig> {
  return {
    durable_name: row.group,
    ack_policy: AckPolicy.Explicit,
    ack_wait: ACK_WAIT_MS * NANOS_PER_MS,
    max_ack_pending: ACK_PENDING_MAX,
    max_deliver: -1,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: Number(row.acknowledgedThrough + 1n),
  };
}

/** What a consumer has acknowledged without a gap; what lies before its beginning counts as acknowledged. */
export function acknowledgedThrough({ ack_floor: floor, config }: ConsumerInfo): bigint {
  return BigInt(Math.max(floor.stream_seq, (config.opt_start_seq ?? 1) - 1));
}
