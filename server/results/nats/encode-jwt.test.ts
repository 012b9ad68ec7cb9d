import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAccount, createUser, fromPublic } from '@nats-io/nkeys';
import { encodeJwt } from './encode-jwt.ts';

test('a JWT carries its claims in whole seconds and the signature of its issuer over header and payload', () => {
  const account = createAccount();
  const user = createUser();
  const jwt = encodeJwt(
    {
      subject: user.getPublicKey(),
      name: 'someone',
      issuedAtMs: 1_700_000_000_999,
      expiresAtMs: 1_700_000_900_999,
      nats: { type: 'user', version: 2 },
    },
    account,
  );
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  const parse = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
  assert.deepEqual(parse(header), { typ: 'JWT', alg: 'ed25519-nkey' });
  const claims = parse(payload) as Record<string, unknown>;
  assert.match(String(claims['jti']), /^[A-Z2-7]{52}$/);
  delete claims['jti'];
  assert.deepEqual(claims, {
    iat: 1_700_000_000,
    exp: 1_700_000_900,
    iss: account.getPublicKey(),
    name: 'someone',
    sub: user.getPublicKey(),
    nats: { type: 'user', version: 2 },
  });
  const issuer = fromPublic(account.getPublicKey());
  assert.ok(issuer.verify(Buffer.from(`${header}.${payload}`), Buffer.from(signature, 'base64url')));
});
