import {
  AckPolicy,
  DeliverPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type ConsumerConfig,
  type ConsumerInfo,
  type JetStreamManager,
} from '@nats-io/jetstream';

/** How long a member of a group may work on a result before another one gets it, ms. */
export const ACK_WAIT_MS = 60_000;

/** Results that all members of a group together may have in work. */
export const ACK_PENDING_MAX = 10_000;

const NANOS_PER_MS = 1_000_000;
const CONSUMER_EXISTS_CODE = 10_148;

/**
 * Finds the durable consumer of a group, or makes it, beginning with `firstNumber` (default: the oldest that the stream
 * holds). An existing one keeps its place.
 */
export async function ensureConsumer(
  manager: JetStreamManager,
  stream: string,
  group: string,
  firstNumber: bigint | undefined,
): Promise<ConsumerInfo> {
  const found = await findConsumer(manager, stream, group);
  if (found !== undefined) return found;
  try {
    return await manager.consumers.add(stream, toConsumerConfig(group, firstNumber));
  } catch (error) {
    // Someone else has just made it, with another beginning.
    if (!(error instanceof JetStreamApiError) || error.code !== CONSUMER_EXISTS_CODE) throw error;
    return manager.consumers.info(stream, group);
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
function toConsumerConfig(group: string, firstNumber: bigint | undefined): Partial<ConsumerConfig> {
  return {
    durable_name: group,
    ack_policy: AckPolicy.Explicit,
    ack_wait: ACK_WAIT_MS * NANOS_PER_MS,
    max_ack_pending: ACK_PENDING_MAX,
    max_deliver: -1,
    ...(firstNumber === undefined
      ? { deliver_policy: DeliverPolicy.All }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: Number(firstNumber) }),
  };
}

/** What a consumer has acknowledged without a gap; what lies before its beginning counts as acknowledged. */
export function acknowledgedThrough({ ack_floor: floor, config }: ConsumerInfo): bigint {
  return BigInt(Math.max(floor.stream_seq, (config.opt_start_seq ?? 1) - 1));
}
