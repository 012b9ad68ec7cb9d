import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { addressGate, networkOf } from './address-gate.ts';
import { ipBytes, ipText } from './ip-bytes.ts';

test('the gate of an IPv4 address is the address, that of an IPv6 address its /64', () => {
  assert.equal(addressGate('192.0.2.17'), '192.0.2.17');
  assert.equal(addressGate('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  assert.equal(addressGate('2001:db8::1'), '2001:db8::/64');
  assert.equal(addressGate('2001:db8:0:1::'), '2001:db8:0:1::/64');
});

test('the network of an IPv4 address is its /24, that of an IPv6 address its /48', () => {
  assert.equal(networkOf('192.0.2.17'), '192.0.2.0/24');
  assert.equal(networkOf('2001:db8:1:2::3'), '2001:db8:1::/48');
  assert.equal(networkOf('2001:db8::3'), '2001:db8::/48');
});

test('all spellings of an address have one gate and one network', () => {
  for (const ip of ['2001:DB8:0:0:0:0:0:1', '2001:0db8::0001', '2001:db8::0.0.0.1']) {
    assert.equal(addressGate(ip), addressGate('2001:db8::1'));
    assert.equal(networkOf(ip), networkOf('2001:db8::1'));
  }
});

test('an address survives the way to bytes and back', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (ip) => {
      const text = ipText(ipBytes(ip));
      assert.deepEqual(ipBytes(text), ipBytes(ip));
      assert.equal(ipText(ipBytes(text)), text);
    }),
  );
  assert.deepEqual(
    ipBytes('::ffff:1.2.3.4'),
    Uint8Array.from([...new Array<number>(10).fill(0), 255, 255, 1, 2, 3, 4]),
  );
});
