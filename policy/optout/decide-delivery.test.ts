import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideDelivery, type OptOutSignal } from './decide-delivery.ts';

const refused: OptOutSignal = { source: 'ROBOTS', name: 'decorumbot-ai-train', value: '3: Disallow: /' };

test('a purpose that robots.txt refuses by its own token does not get what others fetched', () => {
  assert.deepEqual(decideDelivery('AI_TRAIN', [refused]), { kind: 'opted_out', decidedBy: refused });
  for (const purpose of ['SEARCH', 'TRAIN', 'AI_INPUT']) {
    assert.deepEqual(decideDelivery(purpose, [refused]), { kind: 'deliver' }, purpose);
  }
});

test('signals of other places take nothing away yet', () => {
  const meta: OptOutSignal = { source: 'HTML_META', name: 'decorumbot-ai-train', value: 'noindex' };
  assert.deepEqual(decideDelivery('AI_TRAIN', [meta]), { kind: 'deliver' });
});
