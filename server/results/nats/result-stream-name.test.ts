import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultStreamName } from './result-stream-name.ts';

const stream = { tenant: 'search', lane: 'urgent', cell: 0, generation: 3 } as const;

test('a stream is named for tenant, lane, cell and generation', () => {
  assert.equal(resultStreamName(stream), 'RESULTS_search_urgent_0_3');
});

test('a tenant that would be read as structure of a NATS subject is refused', () => {
  for (const tenant of ['', 'a.b', '*', 'a>', 'a b', 'ä', 'a'.repeat(65)]) {
    assert.throws(() => resultStreamName({ ...stream, tenant }), tenant);
  }
});
