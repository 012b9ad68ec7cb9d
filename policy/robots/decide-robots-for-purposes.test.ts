import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CRAWL_DELAY_S_MAX, decideRobotsForPurposes } from './decide-robots-for-purposes.ts';
import { findCrawlDelayS } from './find-crawl-delay.ts';
import { parseRobots } from './parse-robots.ts';

const PRODUCT_TOKEN = 'decorumbot';
const PURPOSE_TOKENS = [
  { purpose: 'SEARCH', token: 'decorumbot-search' },
  { purpose: 'AI_TRAIN', token: 'DecorumBot-AI-train' },
];

function decide(robots: string, path: string) {
  return decideRobotsForPurposes({
    robots: parseRobots(robots),
    productToken: PRODUCT_TOKEN,
    purposeTokens: PURPOSE_TOKENS,
    url: `https://site.example${path}`,
  });
}

function delayOf(robots: string): number | null {
  return findCrawlDelayS({
    robots: parseRobots(robots),
    productToken: PRODUCT_TOKEN,
    purposeTokens: PURPOSE_TOKENS,
  });
}

test('the group of the product token, else *, decides for all purposes', () => {
  const line = { number: 2, text: 'Disallow: /a' };
  assert.deepEqual(decide('User-agent: decorumbot\nDisallow: /a', '/a'), { kind: 'DISALLOWED', line });
  assert.deepEqual(decide('User-agent: *\nDisallow: /a', '/a'), { kind: 'DISALLOWED', line });
  assert.deepEqual(decide('User-agent: *\nDisallow: /a\nUser-agent: decorumbot\nDisallow: /b', '/a'), {
    kind: 'ALLOWED',
    refusals: [],
  });
});

test("a purpose token's own group refuses its purpose only", () => {
  const robots = 'User-agent: *\nAllow: /\n\nUser-agent: decorumbot-ai-train\nDisallow: /a';
  assert.deepEqual(decide(robots, '/a'), {
    kind: 'ALLOWED',
    line: { number: 2, text: 'Allow: /' },
    refusals: [{ purpose: 'AI_TRAIN', line: { number: 5, text: 'Disallow: /a' } }],
  });
  assert.deepEqual(decide(robots, '/b'), {
    kind: 'ALLOWED',
    line: { number: 2, text: 'Allow: /' },
    refusals: [],
  });
});

test("a purpose token's group allows nothing that the product token's forbids", () => {
  const robots = 'User-agent: *\nDisallow: /a\n\nUser-agent: decorumbot-search\nAllow: /a';
  assert.equal(decide(robots, '/a').kind, 'DISALLOWED');
});

test('the crawl delay is the largest among the groups that speak to us', () => {
  const star = 'User-agent: *\nCrawl-delay: 20\nDisallow: /x\n\n';
  const product = 'User-agent: decorumbot\nCrawl-delay: 3\nDisallow: /x\n\n';
  const purpose = 'User-agent: decorumbot-search\nCrawl-delay: 7.5\nDisallow: /x\n\n';
  const other = 'User-agent: otherbot\nCrawl-delay: 99\nDisallow: /x\n\n';
  assert.equal(delayOf(other), null);
  assert.equal(delayOf(star + other), 20);
  assert.equal(delayOf(star + product + other), 3);
  assert.equal(delayOf(star + product + purpose + other), 7.5);
  assert.equal(delayOf(star + purpose), 20);
});

test('a crawl delay over an hour is answered, never undercut', () => {
  assert.equal(CRAWL_DELAY_S_MAX, 3_600);
  assert.equal(decide('User-agent: *\nCrawl-delay: 3600', '/a').kind, 'ALLOWED');
  assert.equal(delayOf('User-agent: *\nCrawl-delay: 3600'), 3_600);
  assert.deepEqual(decide('User-agent: *\nCrawl-delay: 3600.5', '/a'), {
    kind: 'CRAWL_DELAY_TOO_LONG',
    crawlDelayS: 3_600.5,
  });
  assert.equal(
    decide('User-agent: decorumbot-search\nCrawl-delay: 86400', '/a').kind,
    'CRAWL_DELAY_TOO_LONG',
  );
});
