import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createRobotsHistory, findForbiddingLine } from './judge-robots.ts';
import type { RequestEntry } from './web-log.ts';

type RobotsCase = {
  id: string;
  robots?: string;
  user_agent: string;
  url: string;
  expected: string;
  level: string;
};

const file = new URL('../../cases/robots-cases.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: RobotsCase[] };

function request(fields: Partial<RequestEntry>): RequestEntry {
  return {
    kind: 'request',
    id: 1,
    connection: 1,
    scheme: 'http',
    address: '127.64.0.1',
    host: 'a.test',
    method: 'GET',
    path: '/',
    headers: [],
    userAgent: '',
    startedAt: 0,
    endedAt: 1,
    status: 200,
    bytes: 0,
    clientLeft: false,
    isComplete: true,
    ...fields,
  };
}

describe('the referee reads robots.txt', () => {
  it('as the standard decides every case', () => {
    const decided = cases.filter(({ level, expected }) => level !== 'practice' && expected !== 'either');
    const wrong = decided.filter(({ robots, user_agent, url, expected }) => {
      if (robots === undefined) return false;
      const { pathname, search } = new URL(url);
      return (findForbiddingLine(robots, pathname + search, user_agent) ? 'deny' : 'allow') !== expected;
    });
    assert.ok(decided.length > 50);
    assert.deepEqual(
      wrong.map(({ id }) => id),
      [],
    );
  });

  it('from the moment its answer ended, and the latest answer counts', () => {
    const robots = (at: number, text: string): RequestEntry =>
      request({ path: '/robots.txt', startedAt: at, endedAt: at + 1, robotsText: text });
    const history = createRobotsHistory(
      [robots(10, 'User-agent: *\nDisallow: /a'), robots(20, 'User-agent: *\nDisallow: /b')],
      'decorumbot',
    );
    const rule = (path: string, startedAt: number): string => history.rule(request({ path, startedAt })).kind;
    assert.equal(rule('/a', 10.5), 'unread');
    assert.equal(rule('/a', 15), 'forbidden');
    assert.equal(rule('/b', 15), 'allowed');
    assert.equal(rule('/a', 25), 'allowed');
    assert.equal(rule('/b', 25), 'forbidden');
  });

  it('of each origin on its own, port and scheme included', () => {
    const history = createRobotsHistory(
      [request({ path: '/robots.txt', host: 'a.test:80', status: 404 })],
      'decorumbot',
    );
    assert.equal(history.rule(request({ host: 'a.test:80', startedAt: 5 })).kind, 'allowed');
    assert.equal(history.rule(request({ host: 'a.test:81', startedAt: 5 })).kind, 'unread');
    assert.equal(history.rule(request({ host: 'a.test:80', scheme: 'https', startedAt: 5 })).kind, 'unread');
  });

  it('as forbidding all while it is unreachable or was cut short, unless an older copy is at most a day old', () => {
    const first = request({ path: '/robots.txt', robotsText: 'User-agent: *\nDisallow: /a' });
    const failed = request({ path: '/robots.txt', startedAt: 100, endedAt: 101, status: 503 });
    const cut = request({ path: '/robots.txt', startedAt: 100, endedAt: 101, isComplete: false });
    for (const broken of [failed, cut]) {
      const alone = createRobotsHistory([broken], 'decorumbot');
      assert.equal(alone.rule(request({ path: '/b', startedAt: 200 })).kind, 'forbidden');
      const withCopy = createRobotsHistory([first, broken], 'decorumbot');
      assert.equal(withCopy.rule(request({ path: '/b', startedAt: 200 })).kind, 'allowed');
      assert.equal(withCopy.rule(request({ path: '/a', startedAt: 200 })).kind, 'forbidden');
      const aDayLater = request({ path: '/b', startedAt: 24 * 3_600_000 + 2 });
      assert.equal(withCopy.rule(aDayLater).kind, 'forbidden');
    }
  });

  it('through its redirects, whose hops need no permission themselves', () => {
    const hop = request({ path: '/robots.txt', status: 301, location: 'http://b.test/rules.txt' });
    const end = request({
      host: 'b.test',
      path: '/rules.txt',
      startedAt: 2,
      endedAt: 3,
      robotsText: 'User-agent: *\nDisallow: /a',
    });
    const history = createRobotsHistory([hop, end], 'decorumbot');
    assert.equal(history.rule(end).kind, 'allowed');
    assert.equal(history.rule(request({ path: '/a', startedAt: 2.5 })).kind, 'unread');
    assert.equal(history.rule(request({ path: '/a', startedAt: 5 })).kind, 'forbidden');
    assert.equal(history.rule(request({ host: 'b.test', path: '/c', startedAt: 5 })).kind, 'unread');
  });
});
