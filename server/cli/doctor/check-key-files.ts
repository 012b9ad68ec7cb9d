import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from './finding.ts';
import { fail, ok, warn } from './finding.ts';

/** The keys that the first start writes: there, and for our eyes only. */
export async function checkKeyFiles(dataDir: string): Promise<Finding[]> {
  return Promise.all(['operator.key', 'fetcher.key'].map((name) => checkKeyFile(name, join(dataDir, name))));
}

async function checkKeyFile(name: string, path: string): Promise<Finding> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined)
    return warn(name, `${path} does not exist`, 'The first npm start writes it; elsewhere, set DECORUM_KEY.');
  const mode = found.mode & 0o777;
  if ((mode & 0o077) === 0) return ok(name, path);
  return fail(
    name,
    `${path} has mode ${mode.toString(8)}: others can read it`,
    `Run: chmod 600 ${path}, and make a new key if others may have read it.`,
  );
}
