import { setPriority } from 'node:os';
import { serveWeb, type ServedWeb } from './serve-web.ts';
import type { WebCommand, WebReply } from './web-messages.ts';

// The test web's own process: commands come and replies go over the IPC channel of `startTestWeb`. It ends with
// the channel, so also when its parent was killed; Ctrl-C is the parent's business, which still wants the log.

// The referee's clock should be the last to be late on a busy machine; without the right to it, it is judged by
// what the event-loop watch then says.
try {
  setPriority(-10);
} catch {
  // not permitted
}

let web: ServedWeb | undefined;

async function carryOut(command: WebCommand): Promise<WebReply> {
  const { id } = command;
  if (command.do === 'start') {
    web = await serveWeb(command.config);
    return { id, done: 'start', port: web.port, dnsServer: web.dnsServer };
  }
  if (!web) throw new Error('the web was not started');
  if (command.do === 'log') return { id, done: 'log', entries: web.takeLog() };
  await web.change(command.change);
  return { id, done: 'change' };
}

process.on('message', (command: WebCommand) => {
  carryOut(command).then(
    (reply) => process.send?.(reply),
    (error: unknown) =>
      process.send?.({ id: command.id, done: 'error', message: String(error) } satisfies WebReply),
  );
});
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => undefined);
