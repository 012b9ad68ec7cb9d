/** What JetStream gave us and takes acknowledgements through; `JsMsg` is one. */
export type Delivery = {
  readonly seq: number;
  ack(): void;
  /** Asks for it to be delivered again, after a pause in milliseconds. */
  nak(afterMs?: number): void;
  /** Says that it is still worked on. */
  working(): void;
};

/** Which numbers of one stream were delivered to this process and what became of them. */
export type DeliveryLedger = {
  /** Whether a delivery is the first of its number here. One that is not is dealt with and must not be handed on. */
  take(delivery: Delivery): boolean;
  ack(number: number): void;
  retry(number: number, afterMs?: number): void;
  /** Tells the server that all that is held is still worked on. */
  renew(): void;
  /** Gives back all that is held. */
  release(): void;
  /** Delivered, and neither acknowledged nor given back. */
  readonly held: number;
};

/** Acknowledged numbers that are remembered, for acknowledgements that were lost with a connection. */
const REMEMBERED_MAX = 10_000;

/**
 * An empty ledger.
 *
 * A number that comes again is not handed on twice: while it is held, its newest delivery takes the place of the older
 * (whose connection may be gone); after it was acknowledged, it is acknowledged again. Only what this process was told
 * after a restart, or 10,000 results later, can come twice.
 */
export function createDeliveryLedger(): DeliveryLedger {
  const held = new Map<number, Delivery>();
  const acknowledged = new Set<number>();

  const remember = (number: number): void => {
    acknowledged.add(number);
    const [oldest] = acknowledged;
    if (acknowledged.size > REMEMBERED_MAX && oldest !== undefined) acknowledged.delete(oldest);
  };

  return {
    take(delivery) {
      if (acknowledged.has(delivery.seq)) {
        quietly(() => delivery.ack());
        return false;
      }
      const isNew = !held.has(delivery.seq);
      held.set(delivery.seq, delivery);
      return isNew;
    },
    ack(number) {
      const delivery = held.get(number);
      held.delete(number);
      remember(number);
      quietly(() => delivery?.ack());
    },
    retry(number, afterMs) {
      const delivery = held.get(number);
      held.delete(number);
      quietly(() => delivery?.nak(afterMs));
    },
    renew() {
      for (const delivery of held.values()) quietly(() => delivery.working());
    },
    release() {
      for (const delivery of held.values()) quietly(() => delivery.nak());
      held.clear();
    },
    get held() {
      return held.size;
    },
  };
}

/** A closed connection throws. Nothing is lost by that: the number is delivered again. */
function quietly(send: () => void): void {
  try {
    send();
  } catch {
    return;
  }
}
