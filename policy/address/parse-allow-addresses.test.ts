import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decideAddress } from './decide-address.ts';
import { parseAllowAddresses } from './parse-allow-addresses.ts';

function reasonOf(text: string): string {
  const parsed = parseAllowAddresses(text);
  return parsed.ok ? 'taken' : parsed.error.reason;
}

test('a list of blocks exempts exactly what it names', () => {
  const parsed = parseAllowAddresses(' 127.64.0.0/10, 10.1.2.3/32 ,fd00::/8');
  assert.ok(parsed.ok);
  for (const ip of ['127.64.0.1', '10.1.2.3', 'fd12::1'])
    assert.equal(decideAddress(ip, parsed.exempt).kind, 'public', ip);
  for (const ip of ['127.0.0.1', '10.1.2.4', 'fc00::1'])
    assert.equal(decideAddress(ip, parsed.exempt).kind, 'refused', ip);
});

test('empty text exempts nothing', () => {
  const parsed = parseAllowAddresses('  ');
  assert.ok(parsed.ok);
  assert.equal(decideAddress('127.64.0.1', parsed.exempt).kind, 'refused');
});

test('nothing that reaches our own services or a metadata service can be exempt', () => {
  const blocks = [
    '127.0.0.1/32',
    '127.0.0.0/8',
    '127.0.0.0/16',
    '127.0.255.0/24',
    '127.0.0.0/9',
    '0.0.0.0/0',
    '0.0.0.0/32',
  ];
  blocks.push(
    '169.254.169.254/32',
    '::/0',
    '::1/128',
    '::/128',
    '::ffff:127.0.0.1/128',
    '::ffff:0:0/96',
    '64:ff9b::/96',
    'fe80::/64',
  );
  for (const block of blocks) {
    assert.equal(reasonOf(block), 'NEVER_EXEMPT', block);
    assert.equal(reasonOf(`127.64.0.0/10,${block}`), 'NEVER_EXEMPT', block);
  }
  assert.equal(reasonOf('127.1.0.0/16'), 'taken');
});

test('what is no CIDR block is refused', () => {
  const texts = [
    '127.64.0.1',
    '127.64.0.0/',
    '127.64.0.0/33',
    '127.64.0.0/010',
    '127.64.0.0/1e1',
    '127.64.0.0/-1',
    'fd00::/129',
  ];
  texts.push(
    '127.64/10',
    'localhost/8',
    '127.64.0.0/10/3',
    ',',
    '127.64.0.0/10,',
    '127.64.0.0/10;10.0.0.0/8',
    'fe80::%lo/10',
    '/8',
  );
  for (const text of texts) assert.equal(reasonOf(text), 'NOT_A_CIDR', text);
});

test('a block with bits beyond its prefix is refused with the block that was meant', () => {
  const parsed = parseAllowAddresses('127.64.0.1/10');
  assert.ok(!parsed.ok);
  assert.equal(parsed.error.reason, 'HOST_BITS');
  assert.match(parsed.error.message, /127\.64\.0\.0\/10/);
  assert.equal(reasonOf('fd00::1/8'), 'HOST_BITS');
});
