import { fromPublic } from '@nats-io/nkeys';
import { deriveAccountKey } from './derive-account-key.ts';
import { encodeJwt } from './encode-jwt.ts';
import { TENANT_API_PREFIX } from './result-subjects.ts';
import { userClaims } from './user-claims.ts';

/** How long a tenant's user JWT lasts; its client asks again at half of that. */
export const TENANT_USER_JWT_MS = 15 * 60_000;

/** A user JWT to be made for a tenant's client. */
export type TenantUser = {
  tenant: string;
  /** The client's public user key (`U…`); its seed never leaves the client. */
  publicKey: string;
  nowMs: number;
  /** Default and most: 15 minutes. */
  lifetimeMs?: number;
};

/**
 * Signs a client in to its tenant's account for a while: nats-server drops the connection when the JWT ends. The user may
 * only pull, look at its consumers and acknowledge. Answers undefined when the key is not a public user key.
 */
export function createTenantUserJwt(operatorSeed: string, user: TenantUser): string | undefined {
  if (!isUserPublicKey(user.publicKey)) return undefined;
  const lifetimeMs = Math.min(user.lifetimeMs ?? TENANT_USER_JWT_MS, TENANT_USER_JWT_MS);
  return encodeJwt(
    {
      subject: user.publicKey,
      name: user.tenant,
      issuedAtMs: user.nowMs,
      expiresAtMs: user.nowMs + lifetimeMs,
      nats: userClaims(CONSUMER_PERMISSIONS),
    },
    deriveAccountKey(operatorSeed, user.tenant),
  );
}

const CONSUMER_PERMISSIONS = { publish: [`${TENANT_API_PREFIX}.>`, '$JS.ACK.>'], subscribe: ['_INBOX.>'] };

function isUserPublicKey(publicKey: string): boolean {
  if (!publicKey.startsWith('U')) return false;
  try {
    fromPublic(publicKey);
    return true;
  } catch {
    return false;
  }
}
