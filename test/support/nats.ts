import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedNats, startEmbeddedNats } from '@decorum/server/embedded/start-embedded-nats.ts';

/** A nats-server for tests. Disposing it removes its data too. */
export type TestNats = EmbeddedNats & {
  /** Ends the server and keeps its data and port for `restart`. */
  readonly stop: () => Promise<void>;
  /** Starts it again after `stop`. Keys stay, but `systemCreds` and `platformCreds` name other users then. */
  readonly restart: () => Promise<void>;
};

/**
 * Starts a nats-server in a directory of its own, in a fraction of a second: each file has one, so that tenants and
 * streams of different files never meet. It ends with its process at the latest.
 */
export async function startTestNats(): Promise<TestNats> {
  const dataDir = await mkdtemp(join(tmpdir(), 'decorum-test-nats-'));
  const start = (): Promise<EmbeddedNats> =>
    startEmbeddedNats({ dataDir, searchPath: process.env['PATH'] ?? '' });
  let server = await start();
  return {
    ...server,
    async stop() {
      await server[Symbol.asyncDispose]();
    },
    async restart() {
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
