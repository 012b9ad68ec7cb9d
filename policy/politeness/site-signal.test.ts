import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CRAWL_DELAY_MS_MAX, decideCrawlDelay } from './decide-crawl-delay.ts';
import { siteSignal } from './site-signal.ts';

test('each status says one thing about our welcome', () => {
  const statuses = {
    THROTTLED: [429, 503],
    TROUBLED: [403, 451, 500, 501, 502, 504, 520, 599],
    NEUTRAL: [408, 425],
  };
  for (const [signal, list] of Object.entries(statuses)) {
    for (const status of list) assert.equal(siteSignal(status), signal, String(status));
  }
  for (const status of [200, 204, 206, 301, 304, 308, 400, 401, 404, 410, 600])
    assert.equal(siteSignal(status), 'GOOD');
});

test('the largest Crawl-delay among our groups is the floor', () => {
  assert.deepEqual(decideCrawlDelay([]), { kind: 'floor', crawlDelayMs: 0 });
  assert.deepEqual(decideCrawlDelay([2000, 10_000, 500]), { kind: 'floor', crawlDelayMs: 10_000 });
});

test('a Crawl-delay of an hour is kept, a longer one denies the site', () => {
  assert.equal(CRAWL_DELAY_MS_MAX, 3_600_000);
  assert.deepEqual(decideCrawlDelay([3_600_000]), { kind: 'floor', crawlDelayMs: 3_600_000 });
  assert.deepEqual(decideCrawlDelay([1000, 3_600_001]), { kind: 'denied', detail: 'CRAWL_DELAY_TOO_LONG' });
});
