import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeVerdict, judgeManners, siteOf, type MannersRules } from './judge-manners.ts';
import type { ConnectionEntry, LoopEntry, RequestEntry, WebLogEntry } from './web-log.ts';

const ROBOTS = '/robots.txt';

/** Writes a log by hand: a calm event loop of 2 ms, and what a test adds. */
function createLog() {
  const entries: WebLogEntry[] = [];
  let id = 0;
  const connect = (address: string, acceptedAt: number, closedAt: number | null): ConnectionEntry => {
    const entry: ConnectionEntry = {
      kind: 'connection',
      id: ++id,
      scheme: 'http',
      address,
      clientPort: 1,
      acceptedAt,
      closedAt,
    };
    entries.push(entry);
    return entry;
  };
  const ask = (
    connection: ConnectionEntry,
    host: string,
    path: string,
    startedAt: number,
    endedAt: number | null,
    fields: Partial<RequestEntry> = {},
  ): RequestEntry => {
    const entry: RequestEntry = {
      kind: 'request',
      id: ++id,
      connection: connection.id,
      scheme: 'http',
      address: connection.address,
      host,
      method: 'GET',
      path,
      headers: [],
      userAgent: '',
      startedAt,
      endedAt,
      status: path === ROBOTS ? 404 : 200,
      bytes: 100,
      clientLeft: false,
      isComplete: true,
      ...fields,
    };
    entries.push(entry);
    return entry;
  };
  const loop = (from: number, to: number, delayMs: number): LoopEntry => {
    const entry: LoopEntry = { kind: 'loop', from, to, delayMs };
    entries.push(entry);
    return entry;
  };
  const judge = (rules?: MannersRules) => judgeManners(entries, rules);
  const labels = (rules?: MannersRules): string[] => judge(rules).violations.map(({ label }) => label);
  return { connect, ask, loop, judge, labels };
}

describe('the referee judges sites', () => {
  it('acquits a delay kept to the millisecond and convicts a shorter one', () => {
    for (const [start, expected] of [
      [1_110, []],
      [1_109.9, ['M1 site gap']],
    ] as const) {
      const log = createLog();
      const connection = log.connect('127.64.0.1', 0, 2_000);
      log.ask(connection, 'a.test', ROBOTS, 10, 110);
      log.ask(connection, 'a.test', '/', start, start + 5);
      assert.deepEqual(log.labels(), expected);
      assert.equal(log.judge().siteGapMsMin, start - 110);
      assert.equal(log.judge().siteGapMsMinSite, 'a.test');
    }
  });

  it('takes hosts of one registrable domain as one site, for gaps and for connections', () => {
    const log = createLog();
    const one = log.connect('127.64.0.1', 0, 3_000);
    const two = log.connect('127.64.0.2', 500, 3_000);
    log.ask(one, 'a.x.test:8080', ROBOTS, 10, 20);
    log.ask(two, 'b.x.test:8080', ROBOTS, 600, 610);
    assert.deepEqual(log.labels().sort(), ['M1 site connections', 'M1 site gap']);
    assert.equal(log.judge().siteConnectionsMax, 2);
    assert.equal(siteOf('a.b.x.test.:8080'), 'x.test');
    assert.equal(siteOf('127.64.0.1:80'), '127.64.0.1');
    assert.equal(siteOf('[::1]:80'), '[::1]');
  });

  it('measures a gap from the latest end, not from the last request', () => {
    const log = createLog();
    const one = log.connect('127.64.0.1', 0, 5_000);
    log.ask(one, 'a.test', ROBOTS, 0, 3_000);
    log.ask(one, 'a.test', '/a', 1_500, 1_600);
    log.ask(one, 'a.test', '/b', 3_500, 3_600);
    assert.deepEqual(
      log
        .judge()
        .violations.filter(({ label }) => label === 'M1 site gap')
        .map(({ measured }) => measured),
      [-1_500, 500],
    );
  });

  it('adds the allowance to a gap only where the end was the close of a client that left', () => {
    for (const [clientLeft, expected] of [
      [true, []],
      [false, ['M1 site gap']],
    ] as const) {
      const log = createLog();
      const connection = log.connect('127.64.0.1', 0, 5_000);
      log.loop(0, 1_000, 30);
      log.ask(connection, 'a.test', ROBOTS, 0, 100, { clientLeft, isComplete: true });
      log.ask(connection, 'a.test', '/', 1_080, 1_090);
      assert.deepEqual(log.labels(), expected);
    }
  });

  it('judges by a delay that the rules override', () => {
    const log = createLog();
    const connection = log.connect('127.64.0.1', 0, 5_000);
    log.ask(connection, 'a.test', ROBOTS, 0, 100);
    log.ask(connection, 'a.test', '/', 400, 500);
    assert.deepEqual(log.labels({ sites: { 'a.test': { delayMs: 300 } } }), []);
    assert.deepEqual(log.labels({ sites: { 'a.test': { delayMs: 301 } } }), ['M1 site gap']);
  });

  it('asks for Crawl-delay from the moment it was served', () => {
    const log = createLog();
    const connection = log.connect('127.64.0.1', 0, 9_000);
    log.ask(connection, 'a.test', ROBOTS, 0, 100, {
      status: 200,
      robotsText: 'User-agent: *\nCrawl-delay: 2',
    });
    log.ask(connection, 'a.test', '/', 1_500, 1_600);
    log.ask(connection, 'a.test', '/2', 3_600, 3_700);
    const [violation, ...more] = log.judge().violations;
    assert.equal(violation?.label, 'M6 crawl delay');
    assert.deepEqual([violation.limit, more.length], [2_000, 0]);
  });

  it('sees a second connection that overlaps by more than the allowance', () => {
    for (const [acceptedAt, expected] of [
      [1_995, []],
      [1_960, ['M1 site connections']],
    ] as const) {
      const log = createLog();
      log.loop(0, 3_000, 20);
      const one = log.connect('127.64.0.1', 0, 2_000);
      const two = log.connect('127.64.0.1', acceptedAt, null);
      log.ask(one, 'a.test', ROBOTS, 0, 10);
      log.ask(two, 'a.test', '/', 2_500, 2_600);
      assert.deepEqual(log.labels(), expected);
    }
  });

  it('counts a silent connection for the only site of an address, and for no site otherwise', () => {
    const log = createLog();
    const one = log.connect('127.64.0.1', 0, 2_000);
    log.connect('127.64.0.1', 500, 2_000);
    log.ask(one, 'a.test', ROBOTS, 0, 10);
    assert.deepEqual(log.labels(), []);
    assert.deepEqual(log.labels({ onlySiteAt: { '127.64.0.1': 'a.test' } }), ['M1 site connections']);
  });
});

describe('the referee judges addresses', () => {
  it('allows four connections of four sites and convicts the fifth', () => {
    const log = createLog();
    for (let site = 1; site <= 4; site++) log.connect('127.64.0.1', site, 2_000);
    assert.deepEqual(log.labels(), []);
    assert.equal(log.judge().addressConnectionsMax, 4);
    log.connect('127.64.0.2', 5, 2_000);
    assert.deepEqual(log.labels(), []);
    log.connect('127.64.0.1', 6, 2_000);
    assert.deepEqual(log.labels(), ['M2 address connections']);
    assert.deepEqual(log.labels({ addresses: { '127.64.0.1': { slots: 5 } } }), []);
  });

  it('lets five starts take a second and no less', () => {
    for (const [fifthAt, expected] of [
      [1_000, []],
      [999, ['M2 slot spacing']],
    ] as const) {
      const log = createLog();
      for (const [site, startedAt] of [0, 10, 20, 30, fifthAt].entries()) {
        const connection = log.connect('127.64.0.1', startedAt, startedAt + 9);
        log.ask(connection, `s${site}.test`, ROBOTS, startedAt, startedAt + 5);
      }
      assert.deepEqual(log.labels(), expected);
      assert.equal(log.judge().slotSpacingMsMin, fifthAt);
      assert.equal(log.judge().addressStartsPerSecondMax, expected.length === 0 ? 4 : 5);
    }
  });
});

describe('the referee judges robots', () => {
  it('convicts a forbidden path and a page before robots.txt, and counts both', () => {
    const log = createLog();
    const connection = log.connect('127.64.0.1', 0, 9_000);
    log.ask(connection, 'a.test', '/', 0, 10);
    log.ask(connection, 'a.test', ROBOTS, 1_100, 1_200, {
      status: 200,
      robotsText: 'User-agent: *\nDisallow:\n\nUser-agent: DecorumBot\nDisallow: /private/',
    });
    log.ask(connection, 'a.test', '/private/x', 2_500, 2_600);
    log.ask(connection, 'a.test', '/public', 3_700, 3_800);
    assert.deepEqual(log.labels(), ['M5 robots unread', 'M5 robots forbids']);
    assert.equal(log.judge().forbiddenFetches, 2);
    assert.deepEqual(log.labels({ productToken: 'otherbot' }), ['M5 robots unread']);
  });
});

describe('the referee knows what it cannot know', () => {
  it('holds no overlap or spacing of a void second against the client, and says how much was void', () => {
    const log = createLog();
    log.loop(0, 1_000, 60);
    log.loop(1_000, 10_000, 2);
    for (let site = 0; site < 5; site++) {
      const connection = log.connect('127.64.0.1', site, 900);
      log.ask(connection, `s${site}.test`, ROBOTS, site, 800);
    }
    log.connect('127.64.0.9', 9_000, 10_000);
    const verdict = log.judge();
    assert.deepEqual(verdict.violations, []);
    assert.equal(verdict.voidSecondsShare, 0.1);
    assert.equal(verdict.ok, false);
    assert.equal(verdict.allowanceMsMax, 2);
  });

  it('still convicts what lasts from a calm second into a void one', () => {
    const log = createLog();
    log.loop(0, 1_000, 2);
    log.loop(1_000, 2_000, 500);
    for (let each = 0; each < 5; each++) log.connect('127.64.0.1', 500 + each, 1_500);
    assert.deepEqual(log.labels(), ['M2 address connections']);
  });

  it('acquits an empty log', () => {
    const verdict = judgeManners([]);
    assert.equal(verdict.ok, true);
    assert.equal(verdict.siteGapMsMin, null);
    assert.match(describeVerdict(verdict), /^0 requests/);
  });
});
