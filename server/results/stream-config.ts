import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig } from '@nats-io/jetstream';

/**
 * What one stream may hold, bytes: some 400,000 notices. It is no loss when it is full: results wait in the store until
 * groups have acknowledged enough. The broker reserves it, so that it bounds how many streams fit.
 */
export const STREAM_BYTES_MAX = 128 * 1024 * 1024;

/** The largest notice is a few hundred bytes: ids, numbers and a label of 64 bytes. */
const NOTICE_BYTES_MAX = 4_096;

/**
 * The configuration of a stream of notices. Notices do not age; a full stream refuses new ones, so that none is dropped
 * that nobody has seen.
 */
export function toStreamConfig(name: string): Partial<StreamConfig> & { name: string } {
  return {
    name,
    subjects: [name],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_bytes: STREAM_BYTES_MAX,
    max_msg_size: NOTICE_BYTES_MAX,
  };
}
