import { withStore } from './transact.ts';
import type { Pool } from './database.ts';

/** What a key is for. */
export type KeyRole = 'tenant' | 'fetcher' | 'legal' | 'finance' | 'operator';

/** A credential as stored. */
export type KeyRow = {
  readonly keyId: string;
  readonly role: KeyRole;
  readonly tenantId: string | null;
  readonly secretSha256: Uint8Array;
};

/** A key as it is written. */
export type NewKey = KeyRow & { readonly displayName: string; readonly expiresAt: Date | null };

/** Finds a key that is neither revoked nor expired. */
export async function findKey(pool: Pool, keyId: string): Promise<KeyRow | undefined> {
  const [row] = await withStore(
    () => pool<KeyRow[]>`
      select key_id as "keyId", role, tenant_id as "tenantId", secret_sha256 as "secretSha256"
      from api_key
      where key_id = ${keyId} and revoked_at is null and coalesce(expires_at > decorum.now(), true)
    `,
  );
  return row;
}

/** Keeps a key. */
export async function insertKey(pool: Pool, key: NewKey): Promise<void> {
  const { keyId, role, tenantId, secretSha256, displayName, expiresAt } = key;
  await withStore(
    () => pool`
      insert into api_key (key_id, role, tenant_id, secret_sha256, display_name, expires_at)
      values (${keyId}, ${role}, ${tenantId}, ${secretSha256}, ${displayName}, ${expiresAt})
    `,
  );
}

/** Ends a key at once; false when there is none of that id. Idempotent. */
export async function revokeKey(pool: Pool, keyId: string): Promise<boolean> {
  const rows = await withStore(
    () => pool`
      update api_key set revoked_at = coalesce(revoked_at, decorum.now()) where key_id = ${keyId} returning 1
    `,
  );
  return rows.length > 0;
}
