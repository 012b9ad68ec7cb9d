import type { Logger } from './logger.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const CRASH_MS_MAX = 10_000;

/** The one signal that ends a process in order. */
export type Shutdown = Disposable & {
  readonly signal: AbortSignal;
  /** Starts the shutdown from within, for a role that cannot go on. The first cause counts. */
  readonly begin: (cause?: unknown) => void;
};

/**
 * Listens for SIGINT and SIGTERM, and for errors that nobody caught. The first of them aborts `signal`; an uncaught
 * error also sets the exit code to 1 and kills the process if it is still there after 10 s. The second signal of the
 * user ends the process at once, as if nothing listened.
 */
export function createShutdown(logger: Logger): Shutdown {
  const controller = new AbortController();

  const begin = (cause?: unknown): void => {
    if (controller.signal.aborted) return;
    if (cause !== undefined) {
      process.exitCode = 1;
      logger.error('shutting down after an error', {}, cause);
    }
    controller.abort(new Error('the process is shutting down', { cause }));
  };
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) {
      dispose();
      process.kill(process.pid, name);
      return;
    }
    logger.info('shutting down', { signal: name });
    begin();
  };
  const onCrash = (error: unknown): void => {
    if (controller.signal.aborted) {
      process.exitCode = 1;
      logger.error('uncaught error while shutting down', {}, error);
    }
    begin(error);
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), CRASH_MS_MAX).unref();
  };
  const dispose = (): void => {
    for (const name of SIGNALS) process.off(name, onSignal);
    process.off('uncaughtException', onCrash);
    process.off('unhandledRejection', onCrash);
  };

  for (const name of SIGNALS) process.on(name, onSignal);
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);
  return { signal: controller.signal, begin, [Symbol.dispose]: dispose };
}
