/** Gives back what was reserved; a second call does nothing. */
export type ReleaseBytes = () => void;

/** A bound on bytes in use at once, shared by many. */
export type ByteBudget = {
  /**
   * Waits until so many bytes are free, first come first served, and takes them. Rejects with a RangeError at
   * once when the whole budget is smaller, and with the signal's reason when that aborts first.
   */
  reserve: (bytes: number, signal?: AbortSignal) => Promise<ReleaseBytes>;
};

type Waiter = { bytes: number; grant: (release: ReleaseBytes) => void };

/** Makes a budget of `bytesMax` bytes, all of them free. */
export function createByteBudget(bytesMax: number): ByteBudget {
  const waiters: Waiter[] = [];
  let freeBytes = bytesMax;

  function grantWaiting(): void {
    for (let next = waiters[0]; next !== undefined && next.bytes <= freeBytes; next = waiters[0]) {
      waiters.shift();
      freeBytes -= next.bytes;
      next.grant(createRelease(next.bytes));
    }
  }

  function createRelease(bytes: number): ReleaseBytes {
    let held = bytes;
    return () => {
      freeBytes += held;
      held = 0;
      grantWaiting();
    };
  }

  return {
    async reserve(bytes, signal) {
      if (bytes > bytesMax) throw new RangeError(`${bytes} bytes never fit into a budget of ${bytesMax}`);
      signal?.throwIfAborted();
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          bytes,
          grant: (release) => {
            signal?.removeEventListener('abort', abandon);
            resolve(release);
          },
        };
        const abandon = () => {
          waiters.splice(waiters.indexOf(waiter), 1);
          reject(signal?.reason as Error);
          grantWaiting();
        };
        signal?.addEventListener('abort', abandon, { once: true });
        waiters.push(waiter);
        grantWaiting();
      });
    },
  };
}
