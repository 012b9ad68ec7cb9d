import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { chooseAddress } from './choose-address.ts';
import { decideAddress } from './decide-address.ts';
import { decideHostName } from './decide-host-name.ts';
import { parseAllowAddresses } from './parse-allow-addresses.ts';

test('IPv4 comes before IPv6, and answers of a family keep their order', () => {
  const choice = chooseAddress([
    '2606:4700::2',
    '93.184.216.35',
    '2606:4700::1',
    '93.184.216.34',
    '93.184.216.35',
  ]);
  assert.equal(choice.kind, 'chosen');
  assert.equal(choice.ip, '93.184.216.35');
  assert.deepEqual(choice.fallbacks, ['93.184.216.34', '2606:4700::2', '2606:4700::1']);
});

test('a private answer beside a public one is never connected to, not as a fallback either', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('10.0.0.5', '127.0.0.1', '::ffff:10.0.0.1', 'x')),
      ),
      (answers) => {
        const choice = chooseAddress(answers);
        const used = choice.kind === 'chosen' ? [choice.ip, ...choice.fallbacks] : [];
        const isPublic = (ip: string): boolean => decideAddress(ip).kind === 'public';
        assert.deepEqual(new Set(used), new Set(answers.filter(isPublic)));
        assert.deepEqual(
          new Set(choice.refused.map(({ ip }) => ip)),
          new Set(answers.filter((ip) => !isPublic(ip))),
        );
      },
    ),
  );
});

test('only private answers are forbidden, no answers are a failure to resolve', () => {
  const forbidden = chooseAddress(['10.0.0.5', '64:ff9b::7f00:1']);
  assert.equal(forbidden.kind, 'refused');
  assert.equal(forbidden.reason, 'ADDRESS_FORBIDDEN');
  assert.deepEqual(chooseAddress([]), { kind: 'refused', reason: 'NO_ADDRESS', refused: [] });
});

test('an exempt address can be chosen', () => {
  const allowed = parseAllowAddresses('127.64.0.0/10');
  assert.ok(allowed.ok);
  const choice = chooseAddress(['127.0.0.1', '127.64.1.1'], allowed.exempt);
  assert.equal(choice.kind, 'chosen');
  assert.deepEqual([choice.ip, choice.fallbacks], ['127.64.1.1', []]);
});

test('names that lead inside or to other name systems are not asked of DNS', () => {
  for (const host of [
    'localhost',
    'a.localhost',
    'printer.local',
    'hidden.onion',
    'nas.home.arpa',
    'metadata.google.internal',
    'x.alt',
  ]) {
    assert.deepEqual(decideHostName(host), { kind: 'refused', reason: 'SPECIAL_USE_NAME' }, host);
  }
  assert.deepEqual(decideHostName('intranet'), { kind: 'refused', reason: 'SINGLE_LABEL' });
  for (const host of ['site.test', 'notlocal.example', 'my-onion.example', 'local.example']) {
    assert.deepEqual(decideHostName(host), { kind: 'resolvable' }, host);
  }
});
