/** Lets one loop wait until it is woken or time is over. */
export type Waker = {
  /** Ends the wait that runs, or else the next one at once: no call is lost. */
  readonly wake: () => void;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** A waker for one waiting loop. */
export function createWaker(): Waker {
  let isWoken = false;
  let end: (() => void) | undefined;
  return {
    wake() {
      isWoken = true;
      end?.();
    },
    async wait(ms, signal) {
      if (!isWoken && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const stop = (): void => {
            clearTimeout(timer);
            signal.removeEventListener('abort', stop);
            end = undefined;
            resolve();
          };
          const timer = setTimeout(stop, ms);
          signal.addEventListener('abort', stop);
          end = stop;
        });
      }
      isWoken = false;
    },
  };
}
