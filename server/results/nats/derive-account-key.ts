import { hkdfSync } from 'node:crypto';
import { fromSeed, type KeyPair } from '@nats-io/nkeys';
import { encodeBase32 } from './encode-base32.ts';

/** First two bytes of an account's seed: they make it read `SA…`. */
const ACCOUNT_SEED_PREFIX = [0x90, 0x00];

/**
 * The NATS account key pair of a tenant, derived (HKDF, RFC 5869) from the operator's seed and the tenant's id: every
 * node that holds the operator's seed can sign for every tenant, and no tenant's key is stored anywhere. Whoever has the
 * operator's seed could replace all accounts anyway. The same inputs give the same pair, for ever.
 */
export function deriveAccountKey(operatorSeed: string, tenant: string): KeyPair {
  const raw = new Uint8Array(
    hkdfSync('sha256', operatorSeed, 'decorum', `nats account of tenant ${tenant}`, 32),
  );
  const payload = Uint8Array.from([...ACCOUNT_SEED_PREFIX, ...raw]);
  const checksum = crc16(payload);
  const seed = encodeBase32(Uint8Array.from([...payload, checksum & 0xff, checksum >> 8]));
  return fromSeed(Buffer.from(seed));
}

/** CRC-16/XMODEM, the checksum inside NATS keys. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
    crc &= 0xffff;
  }
  return crc;
}
