import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as defaults from './defaults.ts';

test('M1, M2, M7: the promised manners are the defaults', () => {
  assert.deepEqual(
    { ...defaults },
    {
      SITE_DELAY_MS: 1000,
      ADDRESS_SLOTS: 4,
      SLOT_SPACING_MS: 1000,
      LOCK_DELAY_MS: 60_000,
      LEASE_MS: 60_000,
      BATCH_URLS_MAX: 20,
      BATCH_MS_MAX: 20_000,
    },
  );
});

test('M2: four slots at their spacing start at most four requests in a second', () => {
  assert.ok((defaults.ADDRESS_SLOTS * 1000) / defaults.SLOT_SPACING_MS <= 4);
});

test('M4: a batch ends within its lease even when its last fetch is as long as the batch', () => {
  assert.ok(2 * defaults.BATCH_MS_MAX <= defaults.LEASE_MS);
});
