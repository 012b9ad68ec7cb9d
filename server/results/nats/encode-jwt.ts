import { createHash } from 'node:crypto';
import type { KeyPair } from '@nats-io/nkeys';
import { encodeBase32 } from './encode-base32.ts';

/** What a NATS JWT says, before it is signed. Instants are milliseconds since 1970; the token carries whole seconds. */
export type JwtClaims = {
  /** Public key of the account or user the token speaks about. */
  subject: string;
  name: string;
  issuedAtMs: number;
  /** Absent: the token does not expire. */
  expiresAtMs?: number;
  /** The part that nats-server reads: `type`, `version: 2` and what belongs to the type. */
  nats: Record<string, unknown>;
};

const HEADER = encodePart({ typ: 'JWT', alg: 'ed25519-nkey' });

/**
 * Signs claims as a NATS JWT, version 2 (ed25519 over `header.payload`, RFC 7519 with the algorithm name `ed25519-nkey`).
 * The same claims and signer give the same token. `jti` is the digest of the claims, as nats-server's own tools write it.
 */
export function encodeJwt(claims: JwtClaims, signer: KeyPair): string {
  const body = {
    iat: Math.floor(claims.issuedAtMs / 1000),
    ...(claims.expiresAtMs === undefined ? {} : { exp: Math.floor(claims.expiresAtMs / 1000) }),
    iss: signer.getPublicKey(),
    name: claims.name,
    sub: claims.subject,
    nats: claims.nats,
  };
  const jti = encodeBase32(createHash('sha512-256').update(JSON.stringify(body)).digest());
  const signed = `${HEADER}.${encodePart({ ...body, jti })}`;
  const signature = Buffer.from(signer.sign(Buffer.from(signed))).toString('base64url');
  return `${signed}.${signature}`;
}

function encodePart(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
