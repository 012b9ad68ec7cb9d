/** When a batch is full. */
export type BatchLimits<T> = {
  readonly countMax: number;
  readonly bytesMax: number;
  readonly sizeOf: (item: T) => number;
  /** A batch that has its first item waits no longer than this for more, in milliseconds. */
  readonly lingerMs: number;
};

const LATE = Symbol('late');

/**
 * Groups `source` into batches, in order; none is empty, and an item larger than `bytesMax` is one of its own.
 *
 * The source is read at the pace at which batches are taken. Leaving the loop ends the source too.
 */
export async function* batchUp<T>(
  source: Iterable<T> | AsyncIterable<T>,
  limits: BatchLimits<T>,
): AsyncGenerator<T[]> {
  const items = openSource(source);
  let next: Promise<IteratorResult<T>> | IteratorResult<T> | undefined;
  let carried: { readonly item: T } | undefined;
  let done = false;
  try {
    while (!done || carried !== undefined) {
      const batch: T[] = carried === undefined ? [] : [carried.item];
      let bytes = carried === undefined ? 0 : limits.sizeOf(carried.item);
      carried = undefined;
      using linger = createLinger(limits.lingerMs);
      while (!done && batch.length < limits.countMax) {
        next ??= items.next();
        // Synchronous sources are never waited for: a promise an item would cost more than all else here.
        const ready =
          next instanceof Promise && batch.length > 0 ? Promise.race([next, linger.passed()]) : next;
        const result = ready instanceof Promise ? await ready : ready;
        if (result === LATE) break;
        next = undefined;
        done = result.done === true;
        if (result.done === true) break;
        bytes += limits.sizeOf(result.value);
        if (bytes > limits.bytesMax && batch.length > 0) {
          carried = { item: result.value };
          break;
        }
        batch.push(result.value);
      }
      if (batch.length > 0) yield batch;
    }
  } finally {
    // A source that is waiting for its next item may never come back; it is not waited for, and its errors are nobody's.
    if (next instanceof Promise) next.catch(() => undefined);
    if (!done) items.end();
  }
}

type Source<T> = {
  next(): Promise<IteratorResult<T>> | IteratorResult<T>;
  end(): void;
};

function openSource<T>(source: Iterable<T> | AsyncIterable<T>): Source<T> {
  if (Symbol.asyncIterator in source) {
    const items = source[Symbol.asyncIterator]();
    return {
      next: async () => items.next(),
      end: () => void items.return?.().then(undefined, () => undefined),
    };
  }
  const items = source[Symbol.iterator]();
  return { next: () => items.next(), end: () => void items.return?.() };
}

/** A time that starts when it is first asked for. */
function createLinger(lingerMs: number): Disposable & { passed(): Promise<typeof LATE> } {
  let timer: NodeJS.Timeout | undefined;
  const passed = Promise.withResolvers<typeof LATE>();
  return {
    passed() {
      timer ??= setTimeout(() => passed.resolve(LATE), lingerMs);
      return passed.promise;
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
