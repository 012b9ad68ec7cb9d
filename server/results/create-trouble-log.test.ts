import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../runtime/logger.ts';
import { createTroubleLog } from './create-trouble-log.ts';

function createTestLog() {
  const lines: string[] = [];
  let nowMs = 0;
  const logger = createLogger({ write: (line) => void lines.push(line) });
  const log = createTroubleLog({ logger, clock: { monotonicMs: () => nowMs } });
  return { lines, log, pass: (ms: number) => (nowMs += ms) };
}

test('trouble that lasts is logged once per stream', () => {
  const { lines, log, pass } = createTestLog();
  for (let second = 0; second < 20; second += 1) {
    log.begin('a', new Error('full'));
    if (second > 10) log.begin('b', new Error('full'));
    pass(1_000);
  }
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /"stream":"a".*full/);
});

test('trouble that passes is not, and what comes after it counts afresh', () => {
  const { lines, log, pass } = createTestLog();
  for (let second = 0; second < 20; second += 1) {
    log.begin('a', new Error('no answer'));
    pass(1_000);
    if (second % 4 === 3) log.end('a');
  }
  assert.equal(lines.length, 0);
});
