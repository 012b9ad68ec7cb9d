import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createLogger } from './logger.ts';

function collect(level?: 'debug' | 'warn') {
  const lines: string[] = [];
  const logger = createLogger({
    ...(level === undefined ? {} : { level }),
    wallMs: () => 0,
    write: (line) => lines.push(line),
  });
  const parsed = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { logger, lines, parsed };
}

test('a line is one JSON object with time, level, message and the fields', () => {
  const { logger, lines } = collect();
  logger.with({ role: 'api' }).info('started', { port: 7070, count: 10n });
  assert.deepEqual(lines, [
    '{"time":"1970-01-01T00:00:00.000Z","level":"info","message":"started","role":"api","port":7070,"count":"10"}\n',
  ]);
});

test('lines below the level are dropped', () => {
  const { logger, parsed } = collect('warn');
  logger.debug('a');
  logger.info('b');
  logger.warn('c');
  logger.error('d');
  assert.deepEqual(
    parsed().map((line) => line['level']),
    ['warn', 'error'],
  );
});

test('a cause is logged down to its root, and a cycle ends', () => {
  const { logger, parsed } = collect();
  const root = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const outer = new Error('query failed', { cause: root });
  root.cause = outer;
  logger.error('lost', {}, outer);
  const [line] = parsed();
  const causes = line?.['cause'] as { message: string; code?: string }[];
  assert.deepEqual(
    causes.slice(0, 2).map(({ message, code }) => [message, code]),
    [
      ['query failed', undefined],
      ['refused', 'ECONNREFUSED'],
    ],
  );
  assert.equal(causes.length, 5);
});

test('URLs and keys are taken out of fields, messages and stacks', () => {
  const { logger, lines } = collect();
  logger.error(
    'GET https://shop.test/secret',
    { key: 'dk_k1_s3cr3t' },
    new Error('at http://shop.test/secret'),
  );
  assert.doesNotMatch(lines.join(''), /shop\.test|s3cr3t/);
});
