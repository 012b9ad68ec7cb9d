import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { parseHttpDate } from './parse-http-date.ts';
import { capRetryAfter, parseRetryAfter, RETRY_AFTER_MAX_S } from './parse-retry-after.ts';

const NOW = new Date('2026-11-30T12:00:00Z');

function seconds(...values: string[]): number | null {
  return parseRetryAfter({ values, now: NOW });
}

test('delay-seconds are digits and nothing else, blanks around them aside', () => {
  assert.equal(seconds('120'), 120);
  assert.equal(seconds(' \t120 '), 120);
  assert.equal(seconds('0'), 0);
  assert.equal(seconds('007'), 7);
  for (const text of [
    '-5',
    '+5',
    '1.5',
    '1e3',
    '0x10',
    '5s',
    '5 5',
    '5,5',
    '',
    ' ',
    'abc',
    'NaN',
    'Infinity',
    '٣',
    '\u00a05',
  ]) {
    assert.equal(seconds(text), null, text);
  }
});

test('a huge delay is finite, and capped at a day', () => {
  for (const text of ['99999999999', '9'.repeat(400)]) {
    const read = seconds(text);
    assert.ok(read !== null && read > 1e8 && Number.isSafeInteger(read));
    assert.equal(capRetryAfter(read), RETRY_AFTER_MAX_S);
  }
  assert.equal(RETRY_AFTER_MAX_S, 24 * 3600);
  assert.equal(capRetryAfter(120), 120);
});

test('the three date forms mean the same', () => {
  assert.equal(seconds('Sun, 06 Dec 2026 12:00:00 GMT'), 518_400);
  assert.equal(seconds('Sunday, 06-Dec-26 12:00:00 GMT'), 518_400);
  assert.equal(seconds('Sun Dec  6 12:00:00 2026'), 518_400);
  assert.equal(seconds('Sun Dec 06 12:00:00 2026'), 518_400);
});

test('a date that has passed means no wait', () => {
  assert.equal(seconds('Mon, 30 Nov 2026 11:59:59 GMT'), 0);
  assert.equal(seconds('Thu, 01 Jan 1970 00:00:00 GMT'), 0);
  assert.equal(seconds('Mon, 01 Jan 0001 00:00:00 GMT'), 0);
});

test('dates outside the grammar or the calendar are no dates', () => {
  const texts = [
    '2026-11-30T12:05:00Z',
    'Mon, 30 Nov 2026 12:05:00',
    'Mon, 30 Nov 2026 12:05:00 UTC',
    'Mon, 30 Nov 2026 12:05:00 +0000',
  ];
  texts.push(
    'mon, 30 nov 2026 12:05:00 gmt',
    'Mon, 30 Nov 26 12:05:00 GMT',
    'Mon, 1 Dec 2026 12:05:00 GMT',
    'Mon,30 Nov 2026 12:05:00 GMT',
  );
  texts.push(
    'Mon, 31 Nov 2026 12:05:00 GMT',
    'Mon, 29 Feb 2027 12:05:00 GMT',
    'Mon, 00 Dec 2026 12:05:00 GMT',
    'Xxx, 30 Nov 2026 12:05:00 GMT',
  );
  texts.push(
    'Mon, 30 Nov 2026 24:00:00 GMT',
    'Mon, 30 Nov 2026 12:60:00 GMT',
    'Mon, 30 Nov 2026 12:05:61 GMT',
    'Mon Nov 30 12:05:00 2026 GMT',
  );
  for (const text of texts) assert.equal(seconds(text), null, text);
});

test('a leap second is the first second of the next minute, and leap days exist', () => {
  assert.equal(seconds('Mon, 30 Nov 2026 12:04:60 GMT'), 300);
  assert.deepEqual(parseHttpDate('Tue, 29 Feb 2028 00:00:00 GMT', NOW), new Date('2028-02-29T00:00:00Z'));
});

test('a two-digit year is at most fifty years ahead', () => {
  const yearOf = (shortYear: string, now: string): number | undefined =>
    parseHttpDate(`Friday, 01-Dec-${shortYear} 00:00:00 GMT`, new Date(now))?.getUTCFullYear();
  assert.equal(yearOf('99', '2026-11-30T12:00:00Z'), 1999);
  assert.equal(yearOf('75', '2026-11-30T12:00:00Z'), 2075);
  assert.equal(yearOf('76', '2026-11-30T12:00:00Z'), 1976);
  assert.equal(yearOf('76', '2026-12-02T12:00:00Z'), 2076);
  assert.equal(yearOf('00', '2099-12-31T12:00:00Z'), 2100);
});

test('several lines, or a list on one, are no value', () => {
  assert.equal(parseRetryAfter({ values: [], now: NOW }), null);
  assert.equal(seconds('10', '20'), null);
  assert.equal(seconds('10', '10'), null);
  assert.equal(seconds('10, 20'), null);
});

test('a date is measured by the clock that made it, when the answer tells it', () => {
  const values = ['Mon, 30 Nov 2026 11:02:00 GMT'];
  assert.equal(parseRetryAfter({ values, now: NOW, dateHeader: 'Mon, 30 Nov 2026 11:00:00 GMT' }), 120);
  assert.equal(parseRetryAfter({ values, now: NOW, dateHeader: 'yesterday' }), 0);
  assert.equal(
    parseRetryAfter({ values: ['120'], now: NOW, dateHeader: 'Mon, 30 Nov 2026 11:00:00 GMT' }),
    120,
  );
});

test('part of a second is a whole second to wait', () => {
  const values = ['Mon, 30 Nov 2026 12:00:01 GMT'];
  assert.equal(parseRetryAfter({ values, now: new Date('2026-11-30T11:59:59.999Z') }), 2);
});

test('every date of the next centuries is read back to the second', () => {
  fc.assert(
    fc.property(fc.date({ min: NOW, max: new Date('2400-01-01T00:00:00Z'), noInvalidDate: true }), (date) => {
      const expected = Math.floor(date.getTime() / 1000) - NOW.getTime() / 1000;
      assert.equal(seconds(date.toUTCString()), expected);
    }),
  );
});

test('any text is answered with nothing or a whole number of seconds that is not negative', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 }), (values) => {
      const read = parseRetryAfter({ values, now: NOW });
      assert.ok(read === null || (Number.isSafeInteger(read) && read >= 0));
    }),
  );
});
