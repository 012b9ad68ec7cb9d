import type { Spool, SpooledBody } from '../archive/spool.ts';
import { FetchFailure } from './fetch-failure.ts';

/** Bytes that may wait for the spool before the connection is slowed down. */
export const SINK_WAITING_BYTES_MAX = 262_144;

/** Takes a body as it is received and feeds a spool. */
export type BodySink = {
  /** Takes bytes; false when they reach the limit, with what is beyond it dropped. */
  take(chunk: Uint8Array): boolean;
  /** Waits until everything is in the spool and ends it. Rejects with a FetchFailure when that could not be written. */
  finish(): Promise<SpooledBody>;
};

/** What a sink needs of its connection. */
export type BodySource = {
  pause(): void;
  resume(): void;
  /** The spool failed: the rest need not come. */
  giveUp(failure: FetchFailure): void;
};

/** Makes a sink for at most `bodyBytesMax` bytes. The spool stays its owner's to dispose of, after `finish`. */
export function createBodySink(spool: Spool, bodyBytesMax: number, source: BodySource): BodySink {
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let takenBytes = 0;
  let isPaused = false;
  let failure: FetchFailure | null = null;
  let pumping: Promise<void> | null = null;

  async function pump(): Promise<void> {
    try {
      for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
        await spool.write(chunk);
        waitingBytes -= chunk.length;
        if (isPaused && waitingBytes <= SINK_WAITING_BYTES_MAX / 2) {
          isPaused = false;
          source.resume();
        }
      }
    } catch (error) {
      failure = new FetchFailure('NOT_STORED', 'the body could not be kept', error);
      waiting.length = 0;
      source.giveUp(failure);
    }
    pumping = null;
  }

  return {
    take(chunk) {
      const kept = chunk.subarray(0, bodyBytesMax - takenBytes);
      takenBytes += kept.length;
      if (failure === null && kept.length > 0) {
        waiting.push(kept);
        waitingBytes += kept.length;
        pumping ??= pump();
      }
      if (!isPaused && waitingBytes > SINK_WAITING_BYTES_MAX) {
        isPaused = true;
        source.pause();
      }
      return kept.length === chunk.length;
    },
    async finish() {
      await pumping;
      if (failure !== null) throw failure;
      return spool.finish();
    },
  };
}
