import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readLogClock, type WebLog } from './web-log.ts';

// A delay is measured between firings of a timer of this period, so an idle loop shows about as much: the referee's
// allowance is never below it, which also covers what the kernel reports in one batch (a close beside an accept).
const RESOLUTION_MS = 2;
const STRETCH_MS = 1_000;

/** Notes the largest event-loop delay of each second in the log. `flush` ends the running second early. */
export function watchEventLoop(log: WebLog): { flush(): void; stop(): void } {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let from = readLogClock();
  const flush = (): void => {
    const to = readLogClock();
    log.entries.push({ kind: 'loop', from, to, delayMs: histogram.max / 1e6 });
    histogram.reset();
    from = to;
  };
  const timer = setInterval(flush, STRETCH_MS);
  return {
    flush,
    stop() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
