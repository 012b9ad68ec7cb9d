import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration, parseInstant } from './parse-duration.ts';

test('durations have a number and a unit', () => {
  for (const [text, ms] of [
    ['500ms', 500],
    ['90s', 90_000],
    ['1.5h', 5_400_000],
    [' 7 d', 604_800_000],
    ['0m', 0],
  ] as const) {
    assert.equal(parseDuration(text), ms, text);
  }
  for (const text of ['', '5', 'h', '-1h', '1w', '1h30m', '1e3s', '12345678901s']) {
    assert.throws(() => parseDuration(text), /expected a number and a unit/, text);
  }
});

test('instants are ISO 8601 or a duration from now', () => {
  assert.equal(parseInstant('2030-01-31T12:00:00Z', 0).toISOString(), '2030-01-31T12:00:00.000Z');
  assert.equal(parseInstant('2h', 1_000).getTime(), 7_201_000);
  for (const text of ['2030-13-01', 'tomorrow', '1700000000']) {
    assert.throws(() => parseInstant(text, 0), /expected an instant/, text);
  }
});
