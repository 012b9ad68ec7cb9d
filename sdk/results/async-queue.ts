/** A queue that one loop reads. */
export type AsyncQueue<T> = AsyncIterable<T> & {
  /** What was pushed and not yet read. */
  readonly size: number;
  /** Ignored after the end. */
  push(item: T): void;
  /** The loop ends after what was pushed, or throws `error` then. The first end counts. */
  end(error?: unknown): void;
  /** Fulfilled when fewer than `count` items wait, or the queue has ended. One waiter at a time. */
  roomBelow(count: number): Promise<void>;
  /** Takes out what was pushed and not yet read. */
  clear(): T[];
};

/** Creates an empty queue; it has no bound of its own, `roomBelow` is how a producer keeps one. */
export function createAsyncQueue<T>(): AsyncQueue<T> {
  let items: T[] = [];
  let ended: { readonly error?: unknown } | undefined;
  let readable = Promise.withResolvers<undefined>();
  let room = Promise.withResolvers<undefined>();

  async function* read(): AsyncGenerator<T> {
    for (;;) {
      const item = items.shift();
      if (item !== undefined) {
        room.resolve(undefined);
        yield item;
      } else if (ended !== undefined) {
        if ('error' in ended) throw ended.error;
        return;
      } else {
        readable = Promise.withResolvers();
        await readable.promise;
      }
    }
  }

  return {
    get size() {
      return items.length;
    },
    push(item) {
      if (ended !== undefined) return;
      items.push(item);
      readable.resolve(undefined);
    },
    end(...error) {
      ended ??= error.length === 0 ? {} : { error: error[0] };
      readable.resolve(undefined);
      room.resolve(undefined);
    },
    async roomBelow(count) {
      while (items.length >= count && ended === undefined) {
        room = Promise.withResolvers();
        await room.promise;
      }
    },
    clear() {
      const taken = items;
      items = [];
      return taken;
    },
    [Symbol.asyncIterator]: read,
  };
}
