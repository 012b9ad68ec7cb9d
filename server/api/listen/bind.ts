import { once } from 'node:events';
import type { Server } from 'node:net';

import { formatListenAddress, type ListenAddress } from '../../config/parse-listen-address.ts';

/**
 * Starts listening and answers the address that was bound, with the port the system chose for 0. `variable` is the
 * setting to change when it fails.
 */
export async function bind(server: Server, address: ListenAddress, variable: string): Promise<string> {
  server.listen({ host: address.host, port: address.port });
  try {
    await once(server, 'listening');
  } catch (error) {
    const text = formatListenAddress(address);
    throw new Error(`cannot listen on ${text}; free it, or set ${variable} to another address`, {
      cause: error,
    });
  }
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error(`${variable} is bound to no TCP port`);
  return formatListenAddress({ host: bound.address, port: bound.port });
}
