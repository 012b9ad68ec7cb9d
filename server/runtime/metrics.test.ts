import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createMetrics } from './metrics.ts';

test('instruments are rendered in Prometheus text format', async () => {
  await using metrics = createMetrics();
  metrics.meter.createCounter('decorum.test.count').add(3, { kind: 'a' });
  metrics.meter.createObservableGauge('decorum.test.level').addCallback((result) => result.observe(7));
  const text = await metrics.render();
  assert.match(text, /^decorum_test_count_total\{kind="a"\} 3$/m);
  assert.match(text, /^decorum_test_level 7$/m);
});
