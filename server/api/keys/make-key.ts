import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new credential: what is shown once, and what is kept. */
export type MadeKey = { readonly keyId: string; readonly key: string; readonly secretSha256: Uint8Array };

const KEY_ID_BYTES = 8;
const SECRET_BYTES = 32;

/** Makes a key "dk_<id>_<secret>": 256 random bits, so that a plain hash keeps it. */
export function makeKey(): MadeKey {
  const keyId = randomBytes(KEY_ID_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { keyId, key: `dk_${keyId}_${secret}`, secretSha256: hashSecret(secret) };
}

/** Splits a key; undefined when it is not of the form. */
export function parseKey(key: string): { readonly keyId: string; readonly secret: string } | undefined {
  const match = /^dk_([A-Za-z0-9-]+)_([A-Za-z0-9_-]+)$/.exec(key);
  return match?.[1] === undefined || match[2] === undefined
    ? undefined
    : { keyId: match[1], secret: match[2] };
}

/** Whether a secret is the one that was kept; takes the same time either way. */
export function isSecret(secret: string, secretSha256: Uint8Array): boolean {
  return timingSafeEqual(hashSecret(secret), secretSha256);
}

function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
