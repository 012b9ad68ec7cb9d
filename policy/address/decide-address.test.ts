import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { createAddressBlocks } from './address-blocks.ts';
import { decideAddress } from './decide-address.ts';
import { ipBytes, ipText } from './ip-bytes.ts';
import {
  GLOBAL_UNICAST_IPV6,
  SPECIAL_PURPOSE_BLOCKS_IPV4,
  SPECIAL_PURPOSE_BLOCKS_IPV6,
} from './special-purpose-blocks.ts';

/** The tables again, in plain arithmetic, to judge the decision by. */
type Range = { readonly bits: number; readonly first: bigint; readonly last: bigint };

function rangeOf(cidr: string): Range {
  const [base = '', prefix = ''] = cidr.split('/');
  const bytes = ipBytes(base);
  const bits = 8 * bytes.length;
  const first = numberOf(bytes);
  return { bits, first, last: first + 2n ** BigInt(bits - Number(prefix)) - 1n };
}

function numberOf(bytes: Uint8Array): bigint {
  return bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
}

function ipOf(bits: number, value: bigint): string {
  const bytes = Uint8Array.from({ length: bits / 8 }, (_, at) =>
    Number((value >> BigInt(bits - 8 - 8 * at)) & 0xffn),
  );
  return ipText(bytes);
}

const RANGES = [...SPECIAL_PURPOSE_BLOCKS_IPV4, ...SPECIAL_PURPOSE_BLOCKS_IPV6].map(({ cidr }) =>
  rangeOf(cidr),
);
const GLOBAL_UNICAST = rangeOf(GLOBAL_UNICAST_IPV6);

function isPublic(bits: number, value: bigint): boolean {
  const within = (range: Range): boolean =>
    range.bits === bits && range.first <= value && value <= range.last;
  return (bits === 32 || within(GLOBAL_UNICAST)) && !RANGES.some(within);
}

function assertDecided(bits: number, value: bigint): void {
  const ip = ipOf(bits, value);
  assert.equal(decideAddress(ip).kind, isPublic(bits, value) ? 'public' : 'refused', ip);
}

test('every special block is refused from its first to its last address, and not one further', () => {
  for (const { bits, first, last } of [...RANGES, GLOBAL_UNICAST]) {
    for (const value of [first, last, first - 1n, last + 1n, (first + last) / 2n]) {
      if (value >= 0n && value < 2n ** BigInt(bits)) assertDecided(bits, value);
    }
  }
  assert.equal(decideAddress('9.255.255.255').kind, 'public');
  assert.equal(decideAddress('11.0.0.0').kind, 'public');
  assert.equal(decideAddress('2001:200::1').kind, 'public');
  assert.equal(decideAddress('3fff:1000::').kind, 'public');
});

test('any address is decided as arithmetic decides it', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }), (value) => assertDecided(32, value)),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), fc.boolean(), (value, global) =>
      assertDecided(128, global ? (value >> 3n) | (1n << 125n) : value),
    ),
    { numRuns: 2000 },
  );
});

test('IPv4 in IPv6 clothes is refused, whatever it carries', () => {
  for (const carried of ['127.0.0.1', '10.0.0.1', '93.184.216.34']) {
    for (const prefix of ['::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::']) {
      assert.equal(decideAddress(`${prefix}${carried}`).kind, 'refused', `${prefix}${carried}`);
    }
  }
  assert.equal(decideAddress('2002:5db8:d822::1').kind, 'refused');
  assert.equal(decideAddress('2001:0:4136:e378:8000:63bf:3fff:fdd2').kind, 'refused');
});

test('the metadata services of the clouds are refused', () => {
  for (const ip of [
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    'fd00:ec2::254',
  ]) {
    assert.equal(decideAddress(ip).kind, 'refused', ip);
  }
});

test('a refusal names the purpose of the block', () => {
  assert.deepEqual(decideAddress('192.168.1.1'), {
    kind: 'refused',
    reason: 'SPECIAL_PURPOSE',
    purpose: 'private use',
  });
  assert.deepEqual(decideAddress('fe80::1'), { kind: 'refused', reason: 'NOT_GLOBAL_UNICAST' });
});

test('text that is no plain address is refused', () => {
  for (const text of [
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '010.0.0.1',
    ' 8.8.8.8',
    '8.8.8.8/32',
    '[::1]',
    '2606:4700::1%eth0',
  ]) {
    assert.deepEqual(decideAddress(text), { kind: 'refused', reason: 'NOT_AN_ADDRESS' }, text);
  }
});

test('an exemption is exact, and one family does not reach into the other', () => {
  const exempt = createAddressBlocks(['127.64.0.0/10', '2001:db8:1::/48']);
  assert.equal(decideAddress('127.64.0.0', exempt).kind, 'public');
  assert.equal(decideAddress('127.127.255.255', exempt).kind, 'public');
  assert.equal(decideAddress('127.63.255.255', exempt).kind, 'refused');
  assert.equal(decideAddress('127.128.0.0', exempt).kind, 'refused');
  assert.equal(decideAddress('::ffff:127.64.0.1', exempt).kind, 'refused');
  assert.equal(decideAddress('2001:db8:1::5', exempt).kind, 'public');
  assert.equal(decideAddress('2001:db8:2::5', exempt).kind, 'refused');
});
