/**
 * A process with a watchdog, silent for as many milliseconds at most as its first argument says. Told `block`, it blocks its event loop for
 * good; told `end`, it disposes of the watchdog and ends.
 */
import { startWatchdog } from '@decorum/server/fetch/watchdog.ts';
import { createLogger } from '@decorum/server/runtime/logger.ts';

const watchdog = startWatchdog({ silentMsMax: Number(process.argv[2]), logger: createLogger() });

process.on('message', (order) => {
  while (order === 'block');
  void watchdog[Symbol.asyncDispose]().then(() => process.disconnect());
});
process.send?.('started');
