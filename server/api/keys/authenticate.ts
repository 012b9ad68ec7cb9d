import { findKey } from '../../store/keys.ts';
import type { Pool } from '../../store/database.ts';
import type { Caller } from '../caller.ts';
import { isSecret, parseKey } from './make-key.ts';

/** Who holds a key; null when it is unknown, revoked or expired. The tenant comes from here and nowhere else (T1). */
export async function authenticate(pool: Pool, token: string): Promise<Caller | null> {
  const parsed = parseKey(token);
  if (parsed === undefined) return null;
  const row = await findKey(pool, parsed.keyId);
  if (row === undefined || !isSecret(parsed.secret, row.secretSha256)) return null;
  const { keyId, role, tenantId } = row;
  return { keyId, role, ...(tenantId !== null && { tenantId }) };
}
