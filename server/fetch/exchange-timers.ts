import { FetchFailure } from './fetch-failure.ts';
import type { FetchLimits } from './fetch-limits.ts';

/** The clocks of one exchange; each ends it by `onExpire`, the first one only. */
export type ExchangeTimers = {
  /** The request was written. */
  written(): void;
  /** The first byte of the answer came. */
  firstByte(): void;
  /** While the body waits for us and not we for it, its pace is not judged. */
  hold(): void;
  resume(): void;
  stop(): void;
};

/** Makes the timers, none running. `receivedBytes` tells how much of the answer has come. */
export function createExchangeTimers(
  limits: Pick<FetchLimits, 'firstByteMs' | 'totalMs' | 'throughputBytesPerS' | 'throughputWindowMs'>,
  receivedBytes: () => number,
  onExpire: (failure: FetchFailure) => void,
): ExchangeTimers {
  const windowBytesMin = (limits.throughputBytesPerS * limits.throughputWindowMs) / 1000;
  let firstByteTimer: NodeJS.Timeout | undefined;
  let totalTimer: NodeJS.Timeout | undefined;
  let windowTimer: NodeJS.Timeout | undefined;
  let windowStartBytes = 0;
  let windowIsJudged = true;
  let isHeld = false;

  const judgeWindow = (): void => {
    const bytes = receivedBytes() - windowStartBytes;
    if (windowIsJudged && bytes < windowBytesMin) {
      onExpire(
        new FetchFailure(
          'TOO_SLOW',
          `less than ${limits.throughputBytesPerS} bytes/s over ${limits.throughputWindowMs} ms`,
        ),
      );
    }
    windowStartBytes = receivedBytes();
    windowIsJudged = !isHeld;
  };

  return {
    written() {
      firstByteTimer = setTimeout(() => {
        onExpire(new FetchFailure('FIRST_BYTE_TIMEOUT', `no answer within ${limits.firstByteMs} ms`));
      }, limits.firstByteMs);
      totalTimer = setTimeout(() => {
        onExpire(new FetchFailure('TOTAL_TIMEOUT', `not complete within ${limits.totalMs} ms`));
      }, limits.totalMs);
    },
    firstByte() {
      clearTimeout(firstByteTimer);
      windowTimer = setInterval(judgeWindow, limits.throughputWindowMs);
    },
    hold() {
      isHeld = true;
      windowIsJudged = false;
    },
    resume() {
      isHeld = false;
    },
    stop() {
      clearTimeout(firstByteTimer);
      clearTimeout(totalTimer);
      clearInterval(windowTimer);
    },
  };
}
