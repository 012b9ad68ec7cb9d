import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestWeb, type TestWeb } from '../support/web/start-test-web.ts';
import type { RobotsConfig, SiteConfig } from '../support/web/web-config.ts';

// The referee is tried by clients over real sockets, all on one web: each keeps to an address of its own and is
// rude in one way; the last is polite. Rudeness that is judged with an allowance is repeated or lasts for seconds,
// so that one late second does not hide it.

// What the patient wait: timers may fire a millisecond early.
const PATIENCE_MS = 1_005;
const HEAD_END = '\r\n\r\n';
const RULES = 'User-agent: *\nDisallow: /page/\n\nUser-agent: decorumbot\nDisallow: /private/\n';

const addressOf = (client: number): string => `127.64.7.${client}`;

const siteOf = (client: number, host: string, robots: RobotsConfig = { text: RULES }): SiteConfig => ({
  host,
  addresses: [addressOf(client)],
  robots,
  pages: { kind: 'generated', count: 20, bytesMax: 3_000 },
});

const BURST_HOSTS = Array.from({ length: 15 }, (_, index) => `burst${index}.test`);
const CROWD_HOSTS = Array.from({ length: 5 }, (_, index) => `crowd${index}.test`);
const POLITE_HOSTS = Array.from({ length: 4 }, (_, index) => `polite${index}.test`);

const SITES = [
  siteOf(1, 'a.twice.test'),
  siteOf(1, 'b.twice.test'),
  ...CROWD_HOSTS.map((host) => siteOf(2, host)),
  siteOf(3, 'hasty.test'),
  siteOf(4, 'told.test', { text: 'User-agent: *\nCrawl-delay: 30\n' }),
  ...BURST_HOSTS.map((host) => siteOf(5, host)),
  siteOf(6, 'forbidden.test'),
  siteOf(7, 'unreachable.test', { status: 503 }),
  siteOf(8, 'unread.test'),
  siteOf(9, 'left.test'),
  ...POLITE_HOSTS.map((host) => siteOf(10, host)),
];

let web: TestWeb;
before(async () => {
  web = await startTestWeb({ seed: 1, sites: SITES });
});
after(async () => web.stop());

async function open(client: number): Promise<Socket> {
  const socket = connect(web.port, addressOf(client));
  await once(socket, 'connect');
  return socket;
}

/** Asks for a path and reads the whole answer. */
async function get(socket: Socket, host: string, path: string): Promise<void> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: client/1.0\r\n\r\n`);
  let answer = '';
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    answer += chunk.toString('latin1');
    const head = answer.indexOf(HEAD_END);
    const length = Number(/^content-length: (\d+)\r$/im.exec(answer)?.[1] ?? 0);
    if (head >= 0 && answer.length >= head + HEAD_END.length + length) return;
  }
}

async function close(...sockets: Socket[]): Promise<void> {
  await Promise.all(
    sockets.map(async (socket) => {
      socket.destroy();
      if (!socket.closed) await once(socket, 'close');
    }),
  );
}

/** What one client was convicted of, each label once. */
async function convictionsOf(client: number): Promise<string[]> {
  const own = SITES.filter(({ addresses }) => addresses.includes(addressOf(client)));
  const places = new Set([addressOf(client), ...own.map(({ host }) => host.split('.').slice(-2).join('.'))]);
  const { violations } = await web.report();
  return [...new Set(violations.filter(({ where }) => places.has(where)).map(({ label }) => label))].sort();
}

describe('the referee', { concurrency: true }, () => {
  it('convicts two connections at once to a site, by whichever of its hosts', async () => {
    const one = await open(1);
    const two = await open(1);
    await get(one, 'a.twice.test', '/robots.txt');
    await sleep(PATIENCE_MS);
    await get(two, 'b.twice.test', '/robots.txt');
    await sleep(2_000);
    await close(one, two);
    assert.deepEqual(await convictionsOf(1), ['M1 site connections']);
  });

  it('convicts five connections at once to an address', async () => {
    const sockets = await Promise.all(CROWD_HOSTS.map(() => open(2)));
    await sleep(3_000);
    await close(...sockets);
    assert.deepEqual(await convictionsOf(2), ['M2 address connections']);
  });

  it('convicts a gap under a second', async () => {
    const socket = await open(3);
    await get(socket, 'hasty.test', '/robots.txt');
    await sleep(500);
    await get(socket, 'hasty.test', '/');
    await close(socket);
    assert.deepEqual(await convictionsOf(3), ['M1 site gap']);
  });

  it('convicts a gap under the Crawl-delay that was told', async () => {
    const socket = await open(4);
    await get(socket, 'told.test', '/robots.txt');
    await sleep(PATIENCE_MS);
    await get(socket, 'told.test', '/');
    await close(socket);
    assert.deepEqual(await convictionsOf(4), ['M6 crawl delay']);
  });

  it('convicts five starts in a second at an address', async () => {
    for (let burst = 0; burst < 3; burst++) {
      for (const host of BURST_HOSTS.slice(burst * 5, burst * 5 + 5)) {
        const socket = await open(5);
        await get(socket, host, '/robots.txt');
        await close(socket);
      }
      await sleep(PATIENCE_MS);
    }
    assert.deepEqual(await convictionsOf(5), ['M2 slot spacing']);
    assert.ok((await web.report()).addressStartsPerSecondMax >= 5);
  });

  it('convicts the fetch of a path that robots.txt forbids to us, though not to others', async () => {
    const socket = await open(6);
    for (const path of ['/robots.txt', '/page/1', '/private/letters']) {
      await get(socket, 'forbidden.test', path);
      await sleep(PATIENCE_MS);
    }
    await close(socket);
    assert.deepEqual(await convictionsOf(6), ['M5 robots forbids']);
  });

  it('convicts the fetch of a page although robots.txt was unreachable', async () => {
    const socket = await open(7);
    await get(socket, 'unreachable.test', '/robots.txt');
    await sleep(PATIENCE_MS);
    await get(socket, 'unreachable.test', '/');
    await close(socket);
    assert.deepEqual(await convictionsOf(7), ['M5 robots forbids']);
  });

  it('convicts a page before robots.txt', async () => {
    const socket = await open(8);
    await get(socket, 'unread.test', '/');
    await sleep(PATIENCE_MS);
    await get(socket, 'unread.test', '/robots.txt');
    await close(socket);
    assert.deepEqual(await convictionsOf(8), ['M5 robots unread']);
  });

  it('convicts a client that comes back too soon after it gave up itself', async () => {
    for (let attempt = 0; attempt < 3; attempt++) {
      const one = await open(9);
      await get(one, 'left.test', '/robots.txt');
      await sleep(PATIENCE_MS);
      one.write('GET /hang HTTP/1.1\r\nHost: left.test\r\n\r\n');
      await sleep(200);
      await close(one);
      await sleep(200);
    }
    assert.deepEqual(await convictionsOf(9), ['M1 site gap']);
    const hung = (await web.log()).filter((entry) => entry.kind === 'request' && entry.path === '/hang');
    assert.equal(hung.length, 3);
    for (const entry of hung)
      assert.ok(entry.kind === 'request' && entry.clientLeft && entry.endedAt !== null);
  });

  it('acquits a polite client of four sites on one address, whose connections are kept, fresh, and left midway', async () => {
    await Promise.all(
      POLITE_HOSTS.map(async (host) => {
        const kept = await open(10);
        for (const path of ['/robots.txt', '/']) {
          await get(kept, host, path);
          await sleep(PATIENCE_MS);
        }
        kept.write(`GET /drip HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        await sleep(300);
        await close(kept);
        await sleep(PATIENCE_MS);
        const fresh = await open(10);
        await get(fresh, host, '/big?bytes=2000000');
        await close(fresh);
      }),
    );
    assert.deepEqual(await convictionsOf(10), []);
    const requests = (await web.log()).filter(
      (entry) => entry.kind === 'request' && entry.address === addressOf(10),
    );
    assert.equal(requests.length, 16);
  });
});
