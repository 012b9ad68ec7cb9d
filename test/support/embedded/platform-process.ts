/**
 * A process that starts embedded PostgreSQL and nats-server on the data directory of its first argument, as the platform does, says so as
 * one line of JSON on standard output, and waits. SIGINT makes it end them in order.
 */
import { startEmbeddedNats } from '@decorum/server/embedded/start-embedded-nats.ts';
import { startEmbeddedPostgres } from '@decorum/server/embedded/start-embedded-postgres.ts';

const dataDir = process.argv[2] ?? '';
const postgres = await startEmbeddedPostgres({ dataDir });
const nats = await startEmbeddedNats({ dataDir, searchPath: process.env['PATH'] ?? '' });
const timer = setInterval(() => undefined, 1_000_000);
say({ postgresUrl: postgres.url, natsUrl: nats.url });

process.on('SIGINT', () => void endInOrder());

async function endInOrder(): Promise<void> {
  let isTold = false;
  const died = (name: string) => (): void => {
    if (!isTold) say({ died: name });
  };
  void postgres.ended.then(died('postgres'));
  void nats.ended.then(died('nats-server'));
  // Long enough for an interrupt to have reached whatever it reaches.
  await new Promise((resolve) => setTimeout(resolve, 300));
  isTold = true;
  await nats[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
  clearInterval(timer);
  say({ ended: 'in order' });
}

function say(what: Record<string, string>): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}
