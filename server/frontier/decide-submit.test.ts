import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decideSubmitItem,
  DEADLINE_MS_DEFAULT,
  DEADLINE_MS_MAX,
  EXTRACT_MAX,
  MAX_AGE_MS_MAX,
  type SubmitItem,
} from './decide-submit.ts';

const nowMs = Date.parse('2026-01-01T00:00:00Z');
const later = (ms: number) => new Date(nowMs + ms);

const ITEM: SubmitItem = {
  url: 'http://h.test/',
  band: undefined,
  reason: 'DISCOVERY',
  tier: '',
  label: '',
  notBefore: undefined,
  deadline: undefined,
  maxAgeMs: undefined,
  onlyIfNew: false,
  maxBodyBytes: undefined,
  extract: [],
  clientRef: new Uint8Array(),
};

function decide(changes: Partial<SubmitItem>): string {
  const decision = decideSubmitItem({ ...ITEM, ...changes }, { nowMs, bandMax: 6, exempt: undefined });
  return decision.ok ? 'taken' : `${decision.reason} ${decision.field}`;
}

test('an option at its limit is taken and beyond it refused, with its field named', () => {
  const limits: [Partial<SubmitItem>, Partial<SubmitItem>, string][] = [
    [{ band: 6 }, { band: 7 }, 'band'],
    [{ maxAgeMs: MAX_AGE_MS_MAX }, { maxAgeMs: MAX_AGE_MS_MAX + 1 }, 'max_age'],
    [{ maxAgeMs: 1 }, { maxAgeMs: 0 }, 'max_age'],
    [{ maxBodyBytes: 67_108_864n }, { maxBodyBytes: 67_108_865n }, 'max_body_bytes'],
    [{ maxBodyBytes: 1n }, { maxBodyBytes: 0n }, 'max_body_bytes'],
    [{ extract: texts(EXTRACT_MAX) }, { extract: texts(EXTRACT_MAX + 1) }, 'extract'],
    [{ deadline: later(DEADLINE_MS_MAX) }, { deadline: later(DEADLINE_MS_MAX + 1) }, 'deadline'],
    [{ deadline: later(1) }, { deadline: later(0) }, 'deadline'],
    [{ notBefore: later(DEADLINE_MS_DEFAULT - 1) }, { notBefore: later(DEADLINE_MS_DEFAULT) }, 'not_before'],
    [{ tier: 'x'.repeat(64) }, { tier: 'x'.repeat(65) }, 'tier'],
    [{ label: 'é'.repeat(32) }, { label: 'é'.repeat(33) }, 'label'],
    [{ clientRef: new Uint8Array(256) }, { clientRef: new Uint8Array(257) }, 'client_ref'],
  ];
  for (const [atLimit, beyond, field] of limits) {
    assert.equal(decide(atLimit), 'taken', field);
    assert.equal(decide(beyond), `INVALID_OPTION ${field}`);
  }
});

function texts(count: number): string[] {
  return Array.from({ length: count }, () => 'TEXT');
}

test('an instant that no Timestamp can name is refused', () => {
  for (const instant of [new Date(NaN), new Date(-8.64e15)]) {
    assert.equal(decide({ deadline: instant }), 'INVALID_OPTION deadline');
    assert.equal(decide({ notBefore: instant }), 'INVALID_OPTION not_before');
  }
  assert.equal(decide({ notBefore: new Date('0001-01-01T00:00:00Z') }), 'taken');
});

test('a reason or an extraction that does not exist is refused', () => {
  assert.equal(decide({ reason: 'UNSPECIFIED' }), 'INVALID_OPTION reason');
  assert.equal(decide({ extract: ['TEXT', 'UNSPECIFIED'] }), 'INVALID_OPTION extract');
});

test('names have neither control characters nor such that turn the text around them', () => {
  for (const field of ['tier', 'label'] as const) {
    for (const character of '\0\n\x1f\x7f\u202a\u202e\u2066\u2069') {
      assert.equal(decide({ [field]: `a${character}b` }), `INVALID_OPTION ${field}`);
    }
    for (const name of ['news ~ 1', 'köln', 'עברית', '\u2065', '\u206a']) {
      assert.equal(decide({ [field]: name }), 'taken');
    }
  }
});

test('a wildcard is no host', () => {
  assert.equal(decide({ url: 'http://*.h.test/' }), 'INVALID_URL url');
});
