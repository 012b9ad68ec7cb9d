import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { QUOTED_LINE_CHARACTERS_MAX, decideRobots } from './decide-robots.ts';
import { parseRobots } from './parse-robots.ts';

function decide(robots: string, path: string, productToken = 'DecorumBot') {
  return decideRobots({ robots: parseRobots(robots), productToken, url: `https://site.example${path}` });
}

function forAll(...rules: readonly string[]): string {
  return ['User-agent: *', ...rules].join('\n');
}

test('the verdict names the line, the group and the crawl delay', () => {
  const robots = 'User-agent: decorumbot\nCrawl-delay: 2.5\nDisallow: /a # private\r\nAllow: /a/b\n';
  assert.deepEqual(decide(robots, '/a'), {
    allowed: false,
    line: { number: 3, text: 'Disallow: /a # private' },
    group: 'decorumbot',
    crawlDelayS: 2.5,
  });
  assert.deepEqual(decide(robots, '/a/b'), {
    allowed: true,
    line: { number: 4, text: 'Allow: /a/b' },
    group: 'decorumbot',
    crawlDelayS: 2.5,
  });
  assert.deepEqual(decide(robots, '/c'), { allowed: true, group: 'decorumbot', crawlDelayS: 2.5 });
  assert.deepEqual(decide(robots, '/a', 'otherbot'), { allowed: true, group: null });
  assert.deepEqual(decide(forAll('Disallow: /'), '/a'), {
    allowed: false,
    line: { number: 2, text: 'Disallow: /' },
    group: '*',
  });
});

test('a quoted line is cut at its limit and has no control characters', () => {
  const long = decide(forAll(`Disallow: /\0 # ${'😀'.repeat(QUOTED_LINE_CHARACTERS_MAX)}`), '/%00').line
    ?.text;
  assert.equal(long?.length, QUOTED_LINE_CHARACTERS_MAX);
  assert.ok(long.startsWith('Disallow: /\uFFFD # 😀'));
  assert.ok(long.isWellFormed());
});

test('the longest match decides, and Allow among equals, in whatever order the rules stand', () => {
  for (const [robots, path, allowed] of [
    [['Allow: /a', 'Disallow: /a/b'], '/a/b/c', false],
    [['Allow: /a/b', 'Disallow: /a'], '/a/b/c', true],
    [['Allow: /a', 'Disallow: /a'], '/a', true],
    [['Allow: /news', 'Disallow: /*.xml'], '/news.xml', false],
    [['Allow: /news.', 'Disallow: /*.xml'], '/news.xml', true],
  ] as const) {
    assert.equal(decide(forAll(...robots), path).allowed, allowed);
    assert.equal(decide(forAll(...robots.toReversed()), path).allowed, allowed);
  }
});

test('only /robots.txt itself is allowed whatever the rules say', () => {
  const robots = forAll('Disallow: /');
  assert.deepEqual(decide(robots, '/robots.txt'), { allowed: true, group: '*' });
  for (const path of ['/robots.txt?', '/robots.txt2', '/a/robots.txt', '/ROBOTS.TXT']) {
    assert.equal(decide(robots, path).allowed, false, path);
  }
});

test('a URL without a path has the path /, and a fragment is not compared', () => {
  const robots = forAll('Disallow: /$', 'Disallow: /?q', 'Disallow: /a$');
  for (const path of ['', '/', '?q=1', '#f', '/#f', '/a#/b'])
    assert.equal(decide(robots, path).allowed, false, path);
  assert.equal(decide(robots, '/?r').allowed, true);
});

test('a wildcard reaches into the query, and both sides have one spelling there', () => {
  assert.equal(decide(forAll('Disallow: /*s='), '/?s=x').allowed, false);
  assert.equal(decide(forAll('Disallow: /en/*q=*rel*'), '/en/?q=%3Arel').allowed, false);
  assert.equal(
    decide(forAll('Disallow: /foo/bar?baz=https://foo.bar'), '/foo/bar?baz=https%3A%2F%2Ffoo.bar').allowed,
    false,
  );
  assert.equal(
    decide(forAll('Disallow: /foo/bar?baz=https%3A%2F%2Ffoo.bar'), '/foo/bar?baz=https://foo.bar').allowed,
    false,
  );
  assert.equal(decide(forAll('Disallow: /a?*=https%3a'), '/a?b=https:').allowed, false);
});

test('a path that is not UTF-8 is compared by its octets', () => {
  const robots = parseRobots(Buffer.from('User-agent: *\nDisallow: /caf\xE9', 'latin1'));
  const decideLatin1 = (path: string): boolean =>
    decideRobots({ robots, productToken: 'x', url: `https://site.example${path}` }).allowed;
  assert.equal(decideLatin1('/caf%E9'), false);
  assert.equal(decideLatin1('/caf%C3%A9'), true);
});

const plainPath = fc.string({ unit: fc.constantFrom('a', 'Z', '7', '-', '~', '/', '*', '$'), maxLength: 8 });
const rules = fc.array(
  fc.tuple(fc.constantFrom('Allow', 'Disallow'), plainPath).map(([key, path]) => `${key}: /${path}`),
  { maxLength: 6 },
);

test('escaping unreserved characters, in the rules or in the URL, changes no verdict', () => {
  const escapeSome = (text: string, which: readonly boolean[]): string =>
    text.replaceAll(/[A-Za-z0-9~-]/g, (found, at: number) =>
      which[at % which.length] === true ? `%${found.charCodeAt(0).toString(16)}` : found,
    );
  const which = fc.array(fc.boolean(), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(rules, plainPath, which, which, (itsRules, path, inRules, inUrl) => {
      const plain = decide(forAll(...itsRules), `/${path}`);
      const escapedRules = itsRules.map((rule) =>
        rule.replace(/\/.*$/, (value) => escapeSome(value, inRules)),
      );
      const escaped = decide(forAll(...escapedRules), `/${escapeSome(path, inUrl)}`);
      assert.deepEqual([escaped.allowed, escaped.line?.number], [plain.allowed, plain.line?.number]);
    }),
    { numRuns: 1_000 },
  );
});

test('other lines between the rules, other line ends and another order of the rules change no verdict', () => {
  const noise = fc.constantFrom(
    '',
    '# User-agent: *',
    'Host: a',
    'Noindex: /',
    'rubbish',
    'Sitemap: /s',
    ': /',
  );
  fc.assert(
    fc.property(
      rules,
      plainPath,
      noise,
      fc.constantFrom('\n', '\r', '\r\n'),
      (itsRules, path, line, lineEnd) => {
        const { allowed } = decide(forAll(...itsRules), `/${path}`);
        const noisy = ['User-agent: *', ...itsRules.toReversed()].join(`${lineEnd}${line}${lineEnd}`);
        assert.equal(decide(noisy, `/${path}`).allowed, allowed);
      },
    ),
    { numRuns: 1_000 },
  );
});
