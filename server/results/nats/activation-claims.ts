/**
 * The `nats` part of an activation token: the exporting account's word that the token's subject (an account) may import
 * the service on `importSubject` or a subset of it. nats-server refuses an import that goes beyond its token.
 */
export function activationClaims(importSubject: string): Record<string, unknown> {
  return { type: 'activation', version: 2, subject: importSubject, kind: 'service' };
}
