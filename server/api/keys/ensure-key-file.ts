import { readFile, writeFile } from 'node:fs/promises';
import { insertKey, type KeyRole } from '../../store/keys.ts';
import type { Pool } from '../../store/database.ts';
import { authenticate } from './authenticate.ts';
import { makeKey } from './make-key.ts';

/**
 * Makes sure that a file holds a working key of a role, for the machine's own operators and workers. A file whose key the
 * database does not know (it is another database) is replaced. True when a key was written; the file has mode 0600.
 */
export async function ensureKeyFile(
  pool: Pool,
  file: string,
  role: Exclude<KeyRole, 'tenant'>,
): Promise<boolean> {
  const kept = await readKeyFile(file);
  if (kept !== undefined && (await authenticate(pool, kept))?.role === role) return false;
  const { keyId, key, secretSha256 } = makeKey();
  await insertKey(pool, {
    keyId,
    role,
    tenantId: null,
    secretSha256,
    displayName: 'first start',
    expiresAt: null,
  });
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return true;
}

/** The key in a file; undefined when there is none. */
export async function readKeyFile(file: string): Promise<string | undefined> {
  try {
    const text = (await readFile(file, 'utf8')).trim();
    return text === '' ? undefined : text;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
