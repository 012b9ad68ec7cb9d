import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createReadiness } from './readiness.ts';

test('a process is ready when every part that reported is', () => {
  const readiness = createReadiness();
  assert.equal(readiness.current().ready, true);
  readiness.report('postgres', 'starting');
  readiness.report('nats', undefined);
  assert.deepEqual(readiness.current(), { ready: false, parts: { nats: 'ok', postgres: 'starting' } });
  readiness.report('postgres', undefined);
  assert.equal(readiness.current().ready, true);
});

test('subscribers hear changes, once each, until they leave', () => {
  const readiness = createReadiness();
  const heard: boolean[] = [];
  const leave = readiness.subscribe(({ ready }) => heard.push(ready));
  readiness.report('nats', 'down');
  readiness.report('nats', 'down');
  readiness.report('nats', undefined);
  leave();
  readiness.report('nats', 'down');
  assert.deepEqual(heard, [false, true]);
});
