/**
 * Makes one flush serve everybody who waits for one. A call that comes while a flush is running joins the
 * next: the running one may have begun before the caller's bytes were written.
 *
 * After a flush failed, every call rejects with its error and nothing is flushed again: the kernel drops the
 * error and the dirty pages with it, so that a later flush would succeed without the bytes.
 */
export function createGroupCommit(flush: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;

  return () => {
    if (next === null) {
      const previous = running;
      const mine = (async () => {
        await previous;
        next = null;
        await flush();
      })();
      // Whoever called gets the rejection; `running` alone must not count as unhandled.
      mine.catch(() => undefined);
      next = mine;
      running = mine;
    }
    return next;
  };
}
