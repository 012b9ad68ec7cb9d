import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { POSTGRES_NAME } from './postgres-cluster.ts';
import { LOOPBACK } from './start-on-port.ts';

/**
 * The URL of the PostgreSQL that a platform on this machine has started on `dataDir`, for commands beside it; it may not be
 * running. Undefined when there is none, or its password may not be read. Holds that password: not for logs.
 */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  const read = async (name: string) =>
    (await readFile(join(dataDir, 'postgres', name), 'utf8').catch(() => '')).trim();
  const [password, port] = await Promise.all([read('password'), read('port')]);
  if (password === '' || port === '') return undefined;
  return `postgres://${POSTGRES_NAME}:${encodeURIComponent(password)}@${LOOPBACK}:${port}/${POSTGRES_NAME}`;
}
