import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';

/** Says of streams that cannot be published, once each. */
export type TroubleLog = {
  readonly begin: (stream: string, problem: unknown) => void;
  /** It goes on; the next trouble is a new one. */
  readonly end: (stream: string) => void;
};

/** What passes by itself until then is not worth a line: a broker that starts, a stream that is made again. */
const SILENT_MS = 5_000;

/** Keeps in mind which streams have trouble, and logs each that has it for longer than five seconds. */
export function createTroubleLog(deps: {
  readonly logger: Logger;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}): TroubleLog {
  const troubled = new Map<string, { readonly sinceMs: number; isLogged: boolean }>();
  return {
    begin(stream, problem) {
      const nowMs = deps.clock.monotonicMs();
      const trouble = troubled.get(stream) ?? { sinceMs: nowMs, isLogged: false };
      troubled.set(stream, trouble);
      if (trouble.isLogged || nowMs - trouble.sinceMs < SILENT_MS) return;
      trouble.isLogged = true;
      deps.logger.warn('results of a stream wait', { stream }, problem);
    },
    end: (stream) => void troubled.delete(stream),
  };
}
