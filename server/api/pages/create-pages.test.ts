import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Identity } from '../../config/load-identity.ts';
import { createPublicPages } from './create-pages.ts';
import { renderBotPage } from './render-bot-page.ts';

const IDENTITY: Identity = {
  publicUrl: 'https://crawler.decorum-crawl.net',
  contact: 'crawler@decorum-crawl.net',
  userAgent: 'decorumbot/0.1 (+https://crawler.decorum-crawl.net/bot)',
  isPlaceholder: false,
  egressBlocks: ['192.0.2.0/28', '2001:db8::/56'],
};

test('the page says who we are, how to reach us, and how to slow us down and keep us out', () => {
  const page = renderBotPage(IDENTITY);
  for (const text of [
    'decorumbot/0.1 (+https://crawler.decorum-crawl.net/bot)',
    'href="mailto:crawler@decorum-crawl.net"',
    'href="/bot/ip-ranges.json"',
    'Crawl-delay',
    'Retry-After',
    'User-agent: decorumbot\nDisallow: /',
    'User-agent: decorumbot-ai-train',
  ]) {
    assert.ok(page.includes(text), text);
  }
  assert.doesNotMatch(page, /has not said how to be reached/);
});

test('without an identity or addresses the page says so and promises nothing', () => {
  const page = renderBotPage({ ...IDENTITY, isPlaceholder: true, egressBlocks: [] });
  assert.match(page, /has not said how to be reached/);
  assert.match(page, /does not publish the addresses/);
  assert.doesNotMatch(page, /ip-ranges/);
});

test('what comes from the configuration is escaped', () => {
  const page = renderBotPage({ ...IDENTITY, contact: `"'<b>&@crawl.net`, userAgent: '<script>' });
  assert.doesNotMatch(page, /<script>|<b>|"'/);
});

test('the ranges are those that are configured, by family', async () => {
  const answer = await createPublicPages(IDENTITY, new Date(0)).get('/bot/ip-ranges.json')?.();
  assert.deepEqual(JSON.parse(answer?.body ?? ''), {
    creationTime: '1970-01-01T00:00:00.000Z',
    prefixes: [{ ipv4Prefix: '192.0.2.0/28' }, { ipv6Prefix: '2001:db8::/56' }],
  });
});
