import { createAccount, createOperator, createUser, fromSeed, type KeyPair } from '@nats-io/nkeys';
import { type AccountPlan, accountClaims } from './account-claims.ts';
import { encodeJwt } from './encode-jwt.ts';
import { platformExports } from './result-subjects.ts';
import { userClaims } from './user-claims.ts';

/** The secrets of a NATS operator: seeds in NATS' own text form. Whoever holds them is the operator. */
export type OperatorSeeds = { operator: string; system: string; platform: string };

/** What a nats-server in operator mode is configured with, and what the platform signs in with. */
export type OperatorIdentity = {
  operatorJwt: string;
  systemAccount: { publicKey: string; jwt: string };
  platformAccount: { publicKey: string; jwt: string };
  /** Credentials (text of a `.creds` file, without expiry) of a user of the account SYS: may push accounts. */
  systemCreds: string;
  /** Credentials of a user of the account PLATFORM, where the streams live. */
  platformCreds: string;
};

/** New seeds for an operator and its accounts SYS and PLATFORM. */
export function createOperatorSeeds(): OperatorSeeds {
  return {
    operator: seedOf(createOperator()),
    system: seedOf(createAccount()),
    platform: seedOf(createAccount()),
  };
}

/**
 * Everything that follows from an operator's seeds: its JWT, those of SYS and PLATFORM, and a user of each. The accounts are
 * the same at every call, so that a restart with changed exports only needs new JWTs; the users are new at every call.
 */
export function createOperatorIdentity(seeds: OperatorSeeds, nowMs: number): OperatorIdentity {
  const operator = pairOf(seeds.operator);
  const system = pairOf(seeds.system);
  const platform = pairOf(seeds.platform);
  const sign = (name: string, subject: KeyPair, nats: Record<string, unknown>, signer: KeyPair): string =>
    encodeJwt({ subject: subject.getPublicKey(), name, issuedAtMs: nowMs, nats }, signer);
  const account = (name: string, pair: KeyPair, plan: AccountPlan): { publicKey: string; jwt: string } => ({
    publicKey: pair.getPublicKey(),
    jwt: sign(name, pair, accountClaims(plan), operator),
  });
  const creds = (name: string, signer: KeyPair): string => {
    const user = createUser();
    return credsText(sign(name, user, userClaims(), signer), seedOf(user));
  };
  return {
    operatorJwt: sign(
      'decorum',
      operator,
      { type: 'operator', version: 2, system_account: system.getPublicKey() },
      operator,
    ),
    systemAccount: account('SYS', system, { ...UNLIMITED_PLAN, jetstream: false, exports: [] }),
    platformAccount: account('PLATFORM', platform, {
      ...UNLIMITED_PLAN,
      jetstream: true,
      exports: platformExports(),
    }),
    systemCreds: creds('system', system),
    platformCreds: creds('platform', platform),
  };
}

const UNLIMITED_PLAN = { imports: [], connectionsMax: -1, subscriptionsMax: -1, payloadBytesMax: -1 };

function pairOf(seed: string): KeyPair {
  return fromSeed(Buffer.from(seed));
}

function seedOf(pair: KeyPair): string {
  return Buffer.from(pair.getSeed()).toString();
}

function credsText(jwt: string, seed: string): string {
  return [
    '-----BEGIN NATS USER JWT-----',
    jwt,
    '------END NATS USER JWT------',
    '',
    '-----BEGIN USER NKEY SEED-----',
    seed,
    '------END USER NKEY SEED------',
    '',
  ].join('\n');
}
