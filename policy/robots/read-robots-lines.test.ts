import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ROBOTS_VALUE_OCTETS_MAX, readRobotsLines, toText } from './read-robots-lines.ts';

function read(source: Uint8Array | string): readonly string[] {
  return [...readRobotsLines(source).lines].map(
    ({ number, key, value }) => `${number} ${key}=${value ?? '?'}`,
  );
}

test('CR, LF and CR LF each end one line, empty lines are counted', () => {
  assert.deepEqual(read('a: 1\r\n\r\nb: 2\rc: 3\n\rd: 4'), ['1 a=1', '3 b=2', '4 c=3', '6 d=4']);
});

test('a byte order mark at the start is no part of the first key, and elsewhere it is', () => {
  assert.deepEqual(read('\uFEFFa: 1'), ['1 a=1']);
  assert.deepEqual(read(Buffer.from('\uFEFFa: 1')), ['1 a=1']);
  assert.deepEqual(read('x: 0\n\uFEFFa: 1'), ['1 x=0', '2 \xEF\xBB\xBFa=1']);
});

test('blanks around key and value, and comments, are not part of them', () => {
  assert.deepEqual(read('\t a \t:\t 1 2 \t# b: 3\n# c: 4\nd: #5'), ['1 a=1 2', '3 d=']);
});

test('a line without a colon counts if it is two words', () => {
  assert.deepEqual(read('disallow /x\ndisallow\t/y\nnot a pair\nword\n: value'), [
    '1 disallow=/x',
    '2 disallow=/y',
  ]);
});

test('octets that are no UTF-8 are kept as octets', () => {
  assert.deepEqual(read(Buffer.from('a: /caf\xE9', 'latin1')), ['1 a=/caf\xE9']);
});

test('à and other characters that end in the octet A0 lose nothing', () => {
  assert.deepEqual(read('a: /voilà'), [`1 a=${Buffer.from('/voilà').toString('latin1')}`]);
});

test('a value over the limit is left out, but not for its comment, its blanks or a run of stars', () => {
  const longest = 'x'.repeat(ROBOTS_VALUE_OCTETS_MAX);
  const stars = '*'.repeat(ROBOTS_VALUE_OCTETS_MAX);
  assert.deepEqual(read(`a: ${longest}`), [`1 a=${longest}`]);
  assert.deepEqual(read(`a: ${longest}x`), ['1 a=?']);
  assert.deepEqual(read(`a: ${longest} # ${longest}`), [`1 a=${longest}`]);
  assert.deepEqual(read(`a: ${' '.repeat(ROBOTS_VALUE_OCTETS_MAX)}1`), ['1 a=1']);
  assert.deepEqual(read(`a: /${stars}x`), [`1 a=/${stars}x`]);
});

test('text for people is UTF-8 without control characters', () => {
  assert.equal(
    toText(Buffer.from('Disallow: /é\0\x1b[31m\xE9').toString('latin1')),
    'Disallow: /é\uFFFD\uFFFD[31mé',
  );
  assert.equal(toText('/caf\xE9'), '/caf\uFFFD');
});
