import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import type { OctetSource } from './robots-pattern.ts';
import { matchesRobotsPattern, parseRobotsPattern } from './robots-pattern.ts';

function matches(pattern: string, path: string): boolean {
  return matchesRobotsPattern(parseRobotsPattern(pattern), path);
}

/** Matches, and says how often that looked at an octet of the path or of the pattern. */
function countReads(pattern: string, path: string): { readonly path: number; readonly pattern: number } {
  const reads = { path: 0, pattern: 0 };
  const counting = (text: OctetSource, of: keyof typeof reads): OctetSource => ({
    length: text.length,
    charCodeAt: (at) => {
      reads[of] += 1;
      return text.charCodeAt(at);
    },
  });
  const { head, pieces, end, ...rest } = parseRobotsPattern(pattern);
  matchesRobotsPattern(
    {
      ...rest,
      head: counting(head, 'pattern'),
      pieces: pieces.map(({ text, borders }) => ({ text: counting(text, 'pattern'), borders })),
      end: end.kind === 'text' ? { kind: 'text', text: counting(end.text, 'pattern') } : end,
    },
    counting(path, 'path'),
  );
  return reads;
}

function assertLinear(pattern: string, path: string): void {
  const reads = countReads(pattern, path);
  assert.ok(reads.path <= path.length, `${reads.path} reads of a path of ${path.length}`);
  assert.ok(
    reads.pattern <= 3 * path.length,
    `${reads.pattern} reads of the pattern for a path of ${path.length}`,
  );
}

test('a pattern is a prefix of the path, a final $ makes it the whole', () => {
  assert.ok(matches('/a', '/a'));
  assert.ok(matches('/a', '/ab'));
  assert.ok(!matches('/a', '/'));
  assert.ok(!matches('a', '/a'));
  assert.ok(matches('/a$', '/a'));
  assert.ok(!matches('/a$', '/ab'));
  assert.ok(!matches('$', '/'));
});

test('a star is any octets, none among them', () => {
  assert.ok(matches('/a*b', '/ab'));
  assert.ok(matches('/a*b', '/a/x/b/y'));
  assert.ok(matches('*b', '/ab'));
  assert.ok(matches('/a*b$', '/ab-b'));
  assert.ok(matches('/*ab*ab$', '/abab'));
  assert.ok(!matches('/*ab*ab$', '/ab'));
  assert.ok(!matches('/*aba*aba$', '/ababa'));
  assert.ok(matches('/a*', '/a'));
  assert.ok(matches('/a*$', '/ab'));
  assert.ok(!matches('/*/b', '/b'));
});

test('only the last $ of a pattern is special, and escaped ones are characters', () => {
  assert.ok(matches('/a$$', '/a%24'));
  assert.ok(!matches('/a$$', '/a'));
  assert.ok(matches('/a%24', '/a%24b'));
  assert.ok(matches('/a%2A', '/a%2A'));
  assert.ok(!matches('/a%2A', '/ab'));
});

test('how specific a pattern is, is counted in octets of its normal form, stars and $ included', () => {
  const octets = (pattern: string): number => parseRobotsPattern(pattern).octets;
  assert.equal(octets('/*.pdf$'), 7);
  assert.equal(octets('/a/**'), 5);
  assert.equal(octets('/r%65d'), octets('/red'));
  assert.equal(octets(Buffer.from('/é*').toString('latin1')), octets('/%C3%A9*'));
});

/** By its definition, trying every split. */
function matchesByDefinition(pattern: string, path: string): boolean {
  if (pattern === '') return true;
  if (pattern === '$') return path === '';
  if (!pattern.startsWith('*'))
    return pattern[0] === path[0] && matchesByDefinition(pattern.slice(1), path.slice(1));
  return Array.from({ length: path.length + 1 }).some((_, skipped) =>
    matchesByDefinition(pattern.slice(1), path.slice(skipped)),
  );
}

test('matching agrees with its definition', () => {
  const pattern = fc
    .tuple(fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 8 }), fc.constantFrom('', '$'))
    .map((parts) => parts.join(''));
  const path = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 10 });
  fc.assert(
    fc.property(pattern, path, (aPattern, aPath) => {
      fc.pre(aPattern !== '$' || aPath !== '');
      assert.equal(matches(aPattern, aPath), matchesByDefinition(aPattern, aPath));
    }),
    { numRuns: 3_000 },
  );
});

test('matching takes time linear in the path, whatever the pattern is', () => {
  const n = 2_000;
  const hostile: readonly (readonly [pattern: string, path: string])[] = [
    [`${'*'.repeat(30)}.js*`, `/${'a'.repeat(n)}`],
    [`${'*a'.repeat(n)}b`, `/${'a'.repeat(n)}`],
    [`/*${'a'.repeat(n / 2)}b`, `/${'a'.repeat(n)}`],
    [`/*${'ab'.repeat(n / 4)}c*`, `/${'ab'.repeat(n / 2)}`],
    [`/${'*a*a*b'.repeat(200)}$`, `/${'aab'.repeat(n / 3)}a`],
    [`/*${'a'.repeat(n)}$`, `/${'a'.repeat(n)}b`],
  ];
  for (const [pattern, path] of hostile) assertLinear(pattern, path);

  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '/'), maxLength: 60 });
  fc.assert(
    fc.property(text, fc.constantFrom('', '$'), text, (body, end, path) => assertLinear(body + end, path)),
    { numRuns: 3_000 },
  );
});
