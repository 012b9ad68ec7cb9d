import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { RobotsAnswer } from './decide-robots-answer.ts';
import { ROBOTS_REDIRECTS_MAX, decideRobotsAnswer } from './decide-robots-answer.ts';

const ROBOTS_URL = 'https://site.example/robots.txt';

function decide(status: number, location?: string): RobotsAnswer {
  return decideRobotsAnswer({ status, location, asked: [ROBOTS_URL] });
}

/** Follows the hops until something else is decided, and gives that and the number of redirects followed. */
function follow(hops: readonly string[]): { readonly answer: RobotsAnswer; readonly followed: number } {
  const asked: [string, ...string[]] = [ROBOTS_URL];
  for (const location of hops) {
    const answer = decideRobotsAnswer({ status: 302, location, asked });
    if (answer.kind !== 'FOLLOW') return { answer, followed: asked.length - 1 };
    asked.push(answer.url);
  }
  return { answer: decideRobotsAnswer({ status: 200, asked }), followed: asked.length - 1 };
}

function chainOf(hops: number): readonly string[] {
  return Array.from({ length: hops }, (_, hop) => `/hop-${hop}`);
}

test('a body is read on 2xx and on nothing else', () => {
  for (let status = 100; status < 700; status += 1) {
    assert.equal(decide(status).kind === 'READ_BODY', status >= 200 && status <= 299, `${status}`);
  }
});

test('4xx means no rules, save 429', () => {
  for (let status = 400; status <= 499; status += 1) {
    const expected = status === 429 ? 'UNREACHABLE' : 'UNAVAILABLE';
    assert.deepEqual(decide(status), { kind: expected, reason: 'STATUS' });
  }
});

test('5xx and what is no final status of HTTP disallow', () => {
  for (const status of [0, 101, 304, 305, 500, 501, 502, 503, 504, 599, 600, 999]) {
    assert.deepEqual(decide(status), { kind: 'UNREACHABLE', reason: 'STATUS' });
  }
});

test('redirects are followed to any host, from where they are met', () => {
  for (const status of [300, 301, 302, 303, 307, 308]) {
    assert.deepEqual(decide(status, 'http://WWW.Other.example:80/r?x#y'), {
      kind: 'FOLLOW',
      url: 'http://www.other.example/r?x',
    });
  }
  const asked = [ROBOTS_URL, 'http://other.example/a/b'] as const;
  assert.deepEqual(decideRobotsAnswer({ status: 301, location: '../c', asked: [...asked] }), {
    kind: 'FOLLOW',
    url: 'http://other.example/c',
  });
});

test('five redirects are followed, the sixth means no rules', () => {
  assert.equal(ROBOTS_REDIRECTS_MAX, 5);
  assert.deepEqual(follow(chainOf(4)), { answer: { kind: 'READ_BODY' }, followed: 4 });
  assert.deepEqual(follow(chainOf(5)), { answer: { kind: 'READ_BODY' }, followed: 5 });
  const tooMany = { kind: 'UNAVAILABLE', reason: 'TOO_MANY_REDIRECTS' };
  assert.deepEqual(follow(chainOf(6)), { answer: tooMany, followed: 5 });
  assert.deepEqual(follow(chainOf(7)), { answer: tooMany, followed: 5 });
});

test('a loop is noticed before it is walked again', () => {
  const loop = { kind: 'UNAVAILABLE', reason: 'REDIRECT_LOOP' };
  assert.deepEqual(follow(['/robots.txt']), { answer: loop, followed: 0 });
  assert.deepEqual(follow(['/a', '/b', '/a#other']), { answer: loop, followed: 2 });
});

test('a redirect that leads nowhere disallows', () => {
  assert.deepEqual(decide(302), { kind: 'UNREACHABLE', reason: 'REDIRECT_WITHOUT_TARGET' });
  for (const location of ['ftp://site.example/', 'http://', 'http://site.example:22/', 'javascript:0']) {
    assert.deepEqual(decide(302, location), { kind: 'UNREACHABLE', reason: 'REDIRECT_TARGET_REFUSED' });
  }
});
