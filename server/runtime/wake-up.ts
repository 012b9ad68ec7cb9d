/** Lets parts of one process wait for each other's changes; a hint only, since other processes change things as well. */
export type WakeUp = {
  /** Ends all waits and calls all subscribers. */
  readonly wake: () => void;
  /** Calls back at each `wake`, for as long as the process lives. */
  readonly subscribe: (onWake: () => void) => void;
  /** Resolves after `ms`, at the next `wake`, or when the signal aborts. Never rejects. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
};

/** Makes a wake-up. */
export function createWakeUp(): WakeUp {
  const waiting = new Set<() => void>();
  const subscribers: (() => void)[] = [];
  return {
    wake: () => {
      for (const end of [...waiting, ...subscribers]) end();
    },
    subscribe: (onWake) => void subscribers.push(onWake),
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) {
          resolve();
          return;
        }
        const end = () => {
          clearTimeout(timer);
          waiting.delete(end);
          signal?.removeEventListener('abort', end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        waiting.add(end);
        signal?.addEventListener('abort', end, { once: true });
      }),
  };
}
