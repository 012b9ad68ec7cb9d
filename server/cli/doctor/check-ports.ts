import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../../config/config.ts';
import type { ListenAddress } from '../../config/parse-listen-address.ts';
import { formatListenAddress } from '../../config/parse-listen-address.ts';
import type { Finding } from './finding.ts';
import { fail, ok } from './finding.ts';

/** When no platform runs here: whether its addresses are free for it. */
export async function checkPorts({
  grpcAddress,
  httpAddress,
}: Pick<Config, 'grpcAddress' | 'httpAddress'>): Promise<Finding[]> {
  return Promise.all([
    checkAddress('gRPC address', 'DECORUM_GRPC_ADDRESS', grpcAddress),
    checkAddress('HTTP address', 'DECORUM_HTTP_ADDRESS', httpAddress),
  ]);
}

async function checkAddress(check: string, variable: string, address: ListenAddress): Promise<Finding> {
  const text = formatListenAddress(address);
  const server = createServer();
  try {
    server.listen({ host: address.host, port: address.port });
    await once(server, 'listening');
    return ok(check, `${text} is free`);
  } catch (error) {
    return fail(
      check,
      `${text}: ${error instanceof Error ? error.message : String(error)}`,
      `Free it, or set ${variable}.`,
    );
  } finally {
    server.close();
  }
}
