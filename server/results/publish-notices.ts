import type { JetStreamClient } from '@nats-io/jetstream';

/** A message and its number. */
export type NumberedNotice = { readonly number: bigint; readonly message: Uint8Array };

/** How far publication came, and what stopped it. */
export type Publication = { readonly publishedThrough: bigint; readonly problem: unknown };

/** How long the broker may take to acknowledge a batch, ms: with the rest of its transaction under 2 s. */
const ACK_MS_MAX = 1_500;

/**
 * Publishes notices in order, all of them before the first acknowledgement is waited for. Each says which number must
 * come before it: the broker refuses a number that leaves a gap, so that a message's sequence is its number; and a
 * repeat it still remembers is acknowledged and not stored again.
 */
export async function publishNotices(
  client: JetStreamClient,
  stream: string,
  publishedThrough: bigint,
  notices: readonly NumberedNotice[],
): Promise<Publication> {
  const acks = await Promise.allSettled(
    notices.map(({ number, message }) =>
      client.publish(stream, message, {
        msgID: number.toString(),
        expect: { lastSequence: Number(number - 1n) },
        timeout: ACK_MS_MAX,
      }),
    ),
  );
  let through = publishedThrough;
  for (const [place, ack] of acks.entries()) {
    const number = notices[place]?.number ?? 0n;
    // An acknowledged number speaks for all before it, acknowledged or not.
    if (ack.status === 'fulfilled' && BigInt(ack.value.seq) === number) through = number;
  }
  const failed = acks.find((ack) => ack.status === 'rejected');
  const isComplete = through === (notices.at(-1)?.number ?? publishedThrough);
  return {
    publishedThrough: through,
    problem: isComplete ? undefined : (failed?.reason ?? 'a foreign sequence'),
  };
}
