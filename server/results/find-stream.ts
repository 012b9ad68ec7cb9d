import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  type StreamInfo,
} from '@nats-io/jetstream';

/** A stream of the broker; undefined when there is none of that name. */
export async function findStream(manager: JetStreamManager, name: string): Promise<StreamInfo | undefined> {
  try {
    return await manager.streams.info(name);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound)
      return undefined;
    throw error;
  }
}
