import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { ROBOTS_OCTETS_MAX } from './cut-robots.ts';
import { decideRobots } from './decide-robots.ts';
import {
  ROBOTS_CRAWL_DELAY_S_MAX,
  ROBOTS_STAR_RULES_MAX,
  parseRobots,
  toProductToken,
} from './parse-robots.ts';

function allows(robots: Uint8Array | string, path: string, productToken = 'decorumbot'): boolean {
  return decideRobots({ robots: parseRobots(robots), productToken, url: `https://site.example${path}` })
    .allowed;
}

/** The crawl delays of the agents' groups. */
function delays(robots: string): Record<string, readonly (number | null)[]> {
  const groups = [...parseRobots(robots).groupsByAgent];
  return Object.fromEntries(groups.map(([agent, its]) => [agent, its.map(({ crawlDelayS }) => crawlDelayS)]));
}

test('a byte order mark does not hide the first group', () => {
  assert.ok(!allows(Buffer.from('\uFEFFUser-agent: *\nDisallow: /'), '/x'));
  assert.ok(!allows('\uFEFFUser-agent: *\nDisallow: /', '/x'));
});

test('a run of user-agent lines names one group, whatever stands between them', () => {
  const between = ['', '\n', '# note\n', 'Host: a\n', 'Sitemap: /s\n', 'Crawl-delay: 1\n', 'not a line\n'];
  for (const line of between) {
    const robots = `User-agent: *\n${line}User-agent: otherbot\nDisallow: /private`;
    assert.ok(!allows(robots, '/private'), line);
    assert.ok(!allows(robots, '/private', 'otherbot'), line);
  }
});

test('a rule ends the run of user-agent lines, an empty one too', () => {
  assert.ok(allows('User-agent: decorumbot\nDisallow:\nUser-agent: *\nDisallow: /', '/x'));
});

test('groups that name the same agent are combined', () => {
  const robots =
    'User-agent: DecorumBot\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: decorumbot\nDisallow: /b';
  assert.ok(!allows(robots, '/a'));
  assert.ok(!allows(robots, '/b'));
  assert.ok(allows(robots, '/c'));
});

test('lines before the first user-agent line change nothing', () => {
  for (const orphan of ['Crawl-delay: 1', 'Disallow: /', 'Allow: /x', 'rubbish', 'Sitemap: /s']) {
    const robots = `${orphan}\n\nUser-agent: *\nDisallow: /x`;
    assert.ok(!allows(robots, '/x'), orphan);
    assert.ok(allows(robots, '/y'), orphan);
  }
  assert.deepEqual(delays('Crawl-delay: 1\n\nUser-agent: *\nDisallow: /x'), { '*': [null] });
});

test('common misspellings of the keys are understood', () => {
  for (const key of ['user-agent', 'USER-AGENT', 'useragent', 'user agent', 'User-agents']) {
    assert.ok(!allows(`${key}: *\nDisallow: /`, '/x'), key);
  }
  for (const key of ['disallow', 'dissallow', 'dissalow', 'disalow', 'diasllow', 'disallaw', 'Disallowed']) {
    assert.ok(!allows(`User-agent: *\n${key}: /`, '/x'), key);
  }
});

test('a crawl delay belongs to the user-agent lines right before it', () => {
  assert.deepEqual(
    delays(
      'User-agent: a\nCrawl-delay: 5\nUser-agent: b\nUser-agent: c\nCrawl-delay: 10\nUser-agent: d\nDisallow: /',
    ),
    { a: [5], b: [10], c: [10], d: [null] },
  );
  assert.deepEqual(delays('User-agent: a\nDisallow: /x\nCrawl-delay: 5\nUser-agent: b\nDisallow: /'), {
    a: [5],
    b: [null],
  });
});

test('a crawl delay is a decimal number of seconds, the largest of its group, and anything else is none', () => {
  const delay = (...values: readonly string[]): unknown =>
    delays(`User-agent: *\n${values.map((value) => `Crawl-delay: ${value}\n`).join('')}`)['*']?.[0];
  assert.equal(delay('10'), 10);
  assert.equal(delay('0'), 0);
  assert.equal(delay('2.5'), 2.5);
  assert.equal(delay('.5'), 0.5);
  assert.equal(delay('5 seconds'), 5);
  assert.equal(delay('3', '7', '5'), 7);
  assert.equal(delay('9'.repeat(400)), ROBOTS_CRAWL_DELAY_S_MAX);
  for (const none of ['', 'abc', '-1', 'NaN', 'Infinity', '.']) assert.equal(delay(none), null, none);
});

test('sitemaps are kept in their order, once, from anywhere in the file', () => {
  const robots =
    'Sitemap: https://a.example/1\nUser-agent: *\nSITE-MAP: /é\nDisallow: /\nsitemap: https://a.example/1\nSitemap:';
  assert.deepEqual(parseRobots(robots).sitemaps, ['https://a.example/1', '/é']);
});

test('the decisive last line counts in a file of any size up to 500 KiB, and beyond it the file is marked', () => {
  const rules = 'User-agent: *\nDisallow: /late';
  const sizes = [4094, 4095, 4096, 65_536, ROBOTS_OCTETS_MAX];
  for (const size of sizes) {
    const robots = `${'#'.repeat(size - rules.length - 1)}\n${rules}`;
    assert.equal(robots.length, size);
    assert.ok(!allows(robots, '/late'), `${size} octets`);
    assert.equal(parseRobots(robots).truncated, false);
  }
  const robots = parseRobots(
    `User-agent: *\nDisallow: /early\n${'#'.repeat(ROBOTS_OCTETS_MAX)}\nDisallow: /`,
  );
  assert.equal(robots.truncated, true);
  assert.deepEqual(
    robots.groupsByAgent.get('*')?.flatMap(({ rules: its }) => its.map(({ line }) => line.text)),
    ['Disallow: /early'],
  );
});

test('rules without a star have no limit but the size of the file', () => {
  const head = 'User-agent: *\n';
  const robots = head + 'allow:/\n'.repeat((ROBOTS_OCTETS_MAX - head.length) / 'allow:/\n'.length);
  assert.equal(parseRobots(robots).groupsByAgent.get('*')?.[0]?.rules.length, 63_998);
});

test('beyond the limit of rules with a star, a Disallow counts up to the star and an Allow not at all', () => {
  const full = `User-agent: *\n${'Disallow: /x*y\n'.repeat(ROBOTS_STAR_RULES_MAX - 1)}`;
  assert.ok(allows(`${full}Disallow: /a*b`, '/a'));
  assert.ok(!allows(`${full}Disallow: /x*y\nDisallow: /a*b`, '/a'));
  assert.ok(!allows(`${full}Disallow: /x*y\nDisallow: *b`, '/a'));
  assert.ok(allows(`${full}Disallow: /\nAllow: /a*b`, '/ab'));
  assert.ok(!allows(`${full}Disallow: /x*y\nDisallow: /\nAllow: /a*b`, '/ab'));
  assert.ok(allows(`${full}Disallow: /x*y\nDisallow: /\nAllow: /ab`, '/ab'));
});

test('a file of one agent named over and over stays as small as its lines', () => {
  const robots = parseRobots('User-agent: a\nCrawl-delay: 1\n'.repeat(17_000) + 'Disallow: /x\n');
  assert.equal(robots.groupsByAgent.get('a')?.length, 17_000);
  assert.equal(new Set(robots.groupsByAgent.get('a')?.map(({ rules }) => rules)).size, 1);
});

test('a product token is what a name begins with', () => {
  assert.equal(toProductToken('DecorumBot/1.0'), 'decorumbot');
  assert.equal(toProductToken('decorumbot-ai_train x'), 'decorumbot-ai_train');
  assert.equal(toProductToken('*'), '');
});

test('any bytes are a robots.txt', () => {
  const piece = fc.constantFrom(
    'User-agent',
    'Disallow',
    'Allow',
    'Crawl-delay',
    'Sitemap',
    ':',
    ' ',
    '*',
    '$',
    '%',
    '%4',
    '/a',
    '\r',
    '\n',
    '#',
    '\0',
    '\uFEFF',
    '\ud800',
    'é',
    '1e999',
    '-',
  );
  const text = fc.array(piece, { maxLength: 80 }).map((pieces) => pieces.join(''));
  const bytes = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(
      fc.oneof(text, bytes),
      fc.string(),
      fc.oneof(fc.webUrl(), fc.string()),
      (robots, productToken, url) => {
        const verdict = decideRobots({ robots: parseRobots(robots), productToken, url });
        assert.equal(verdict.line === undefined || verdict.line.number > 0, true);
      },
    ),
    { numRuns: 2_000 },
  );
});
