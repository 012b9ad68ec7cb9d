import { fromBinary } from '@bufbuild/protobuf';
import type { ResultNotice } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import { ResultNoticeSchema } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import type { JsMsg } from '@nats-io/jetstream';
import { DecorumError } from '../client/decorum-error.ts';
import type { AsyncQueue } from './async-queue.ts';
import type { DeliveryLedger } from './delivery-ledger.ts';
import type { GapTracker } from './gap-tracker.ts';
import type { LaneName } from './lane.ts';
import type { LaneSession } from './lane-session.ts';

/** What is kept of a stream of results, over the sessions that read it. */
export type OpenStream = {
  readonly name: string;
  readonly lane: LaneName;
  readonly cell: number;
  readonly generation: number;
  readonly ledger: DeliveryLedger;
  readonly gaps: GapTracker | undefined;
};

/** A number whose result is to be read; without a notice when only its absence was noticed, or it can't be read. */
export type Arrival = {
  readonly stream: OpenStream;
  readonly number: number;
  readonly notice: ResultNotice | undefined;
  /** 1 for the first. */
  readonly deliveries: number;
};

/** What a receiver fills. */
export type Receiver = {
  readonly stream: OpenStream;
  readonly queue: AsyncQueue<Arrival>;
  /** Go on when everything published so far has come. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
};

/** The shortest pull there is: long enough for what waits to be delivered again. */
const REDELIVERY_MS = 1_000;

/** Notices that are pulled ahead of the loop. */
export const PREFETCH_MAX = 200;

/**
 * Pulls notices into the queue until the signal is aborted or, without `follow`, nothing more is there.
 *
 * Never more is asked for than there is room for: what is delivered must be acknowledged in time. Each pull is bounded,
 * and between two of them a new credential is put to use.
 */
export async function receiveNotices(session: LaneSession, receiver: Receiver): Promise<void> {
  const { stream, queue, follow, signal } = receiver;
  const { ledger, gaps } = stream;
  for (;;) {
    await queue.roomBelow(PREFETCH_MAX);
    if (signal.aborted) return;
    await session.refresh(signal);
    const room = PREFETCH_MAX - queue.size;
    const pull = follow ? { count: room, waitMs: session.pullMs } : await askForRest(session, ledger.held);
    if (pull.count === 0) return;
    const messages = await session.consumer.fetch({
      max_messages: Math.min(pull.count, room),
      expires: pull.waitMs,
    });
    const stop = () => messages.stop();
    signal.addEventListener('abort', stop);
    if (isAborted(signal)) stop();
    let received = 0;
    for await (const message of messages) {
      received += 1;
      gaps?.observe(message.seq, performance.now());
      if (ledger.take(message)) queue.push(toArrival(stream, message));
    }
    signal.removeEventListener('abort', stop);
    const overdue = gaps?.takeOverdue(performance.now(), 2 * session.ackWaitMs) ?? [];
    for (const number of overdue) queue.push({ stream, number, notice: undefined, deliveries: 0 });
    if (received === 0) refuseStall(session.unacknowledgedMax, ledger.held - queue.size);
    if (received === 0 && !follow) return;
  }
}

/**
 * How many more were published, and how long to wait for them. What was delivered before and given back comes at once;
 * what other members hold is theirs.
 */
async function askForRest({ consumer, pullMs }: LaneSession, held: number) {
  const { num_pending: undelivered, num_ack_pending: unacknowledged } = await consumer.info();
  if (undelivered > 0) return { count: undelivered, waitMs: pullMs };
  return { count: Math.max(0, unacknowledged - held), waitMs: REDELIVERY_MS };
}

/** Asked again after a wait, which the compiler does not know of. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function toArrival(stream: OpenStream, message: JsMsg): Arrival {
  return {
    stream,
    number: message.seq,
    notice: readNotice(message.data),
    deliveries: message.info.deliveryCount,
  };
}

function readNotice(bytes: Uint8Array): ResultNotice | undefined {
  try {
    return fromBinary(ResultNoticeSchema, bytes);
  } catch {
    return undefined;
  }
}

/** JetStream delivers nothing more when this process alone holds all that may be unacknowledged; without a word from us the loop would just stand still. */
function refuseStall(unacknowledgedMax: number, handedOut: number): void {
  if (unacknowledgedMax === 0 || handedOut < unacknowledgedMax) return;
  throw new DecorumError({
    code: 'failed_precondition',
    reason: 'TOO_MANY_UNACKNOWLEDGED',
    message: `${handedOut} results were handed out and none of them acknowledged: call result.ack() once a result is dealt with.`,
  });
}
