import {
  JetStreamApiCodes,
  JetStreamApiError,
  type ConsumerInfo,
  type JetStreamManager,
} from '@nats-io/jetstream';

/** The consumers of a stream by name; none when there is no such stream. */
export async function listConsumers(
  manager: JetStreamManager,
  stream: string,
): Promise<ReadonlyMap<string, ConsumerInfo>> {
  const consumers = new Map<string, ConsumerInfo>();
  try {
    for await (const consumer of manager.consumers.list(stream)) consumers.set(consumer.name, consumer);
  } catch (error) {
    const isMissing = error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
    if (!isMissing) throw error;
  }
  return consumers;
}
