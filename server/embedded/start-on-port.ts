import { randomInt } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { EmbeddedError } from './embedded-error.ts';

/** The only address that embedded services listen on. */
export const LOOPBACK = '127.0.0.1';
/** Below the range that systems take the local ports of outgoing connections from, so that a restart finds its port free. */
const PORT_MIN = 20_000;
const PORT_END = 32_768;
/** Ports tried; each can be taken by someone else between our look and the service's. */
const TRIES = 8;

/** The port a service shall listen on. */
export type PortWish = {
  name: string;
  /** Exactly this one; absent: the one it had last time when it is free, else any. */
  port: number | undefined;
  /** Remembers the port from start to start. */
  portFile: string;
};

/**
 * Starts a service on a port: `launch` throws `PORT_IN_USE` when it lost the race for one. Throws `PORT_IN_USE` when the port that
 * was asked for is taken.
 */
export async function startOnPort<T>(
  { name, port, portFile }: PortWish,
  launch: (port: number) => Promise<T>,
): Promise<{ port: number; service: T }> {
  const wanted = port ?? (await readPort(portFile));
  for (let round = 0; round < TRIES; round++) {
    const candidate = round === 0 || port !== undefined ? wanted : randomInt(PORT_MIN, PORT_END);
    if (candidate !== undefined && (await isFree(candidate))) {
      try {
        const service = await launch(candidate);
        if (candidate !== wanted) await writeFile(portFile, `${candidate}\n`);
        return { port: candidate, service };
      } catch (error) {
        if (!(error instanceof EmbeddedError) || error.reason !== 'PORT_IN_USE') throw error;
      }
    }
    if (port !== undefined) break;
  }
  const which = port === undefined ? `a port from ${PORT_MIN} to ${PORT_END - 1}` : `port ${port}`;
  throw new EmbeddedError('PORT_IN_USE', `${name} cannot listen on ${which} of ${LOOPBACK}: it is in use`);
}

async function readPort(portFile: string): Promise<number | undefined> {
  const port = Number(await readFile(portFile, 'utf8').catch(() => ''));
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

async function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen({ host: LOOPBACK, port, exclusive: true }, () => server.close(() => resolve(true)));
  return promise;
}
