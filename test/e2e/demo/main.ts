/**
 * `npm run demo`: the platform on embedded services, three teams that crawl a local web of real documentation pages with
 * overlapping wishes, and a referee who reads the web server's log. Exits 1 when a promise was broken.
 *
 * Options: `--json` (the summary as one JSON object on the last line), `--keep` (leaves everything running until Ctrl-C),
 * `--seconds N` (how long links are followed; 60), `--data-dir DIR` (kept afterwards; else a temporary one).
 */
import { mkdtemp, readdir, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPlatform, type Platform } from '../../support/platform.ts';
import { startTestWeb, type TestWeb } from '../../support/web/start-test-web.ts';
import { crawlAsTenant, type TenantCrawl, type TenantPlan } from './crawl-as-tenant.ts';
import { listRealPageSites } from './real-pages.ts';
import { describeSummary, summarize } from './summarize.ts';

const FOLLOW_SECONDS = 60;
/** Fewer pages than this in a whole run are no crawl. */
const PAGES_MIN = 300;
/** After the last link was followed, what waits has so long to end; then its deadline ends it. */
const DRAIN_SECONDS = 40;
/** For the last results to come in. */
const GRACE_SECONDS = 20;

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    seconds: { type: 'string', default: String(FOLLOW_SECONDS) },
    'data-dir': { type: 'string' },
  },
});
const followSeconds = Number(options.seconds);
if (!(followSeconds > 0 && followSeconds <= 3_600)) {
  process.stderr.write('--seconds: give a number of seconds from 1 to 3600\n');
  process.exit(2);
}

const interrupted = new AbortController();
let shown = 0;
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());

const dataDir = options['data-dir'] ?? (await mkdtemp(join(tmpdir(), 'decorum-demo-')));
try {
  const isOk = await runDemo();
  process.exitCode ??= isOk ? 0 : 1;
} finally {
  if (options['data-dir'] === undefined) await removeDataDir();
}

async function runDemo(): Promise<boolean> {
  say('starting a web of real pages, PostgreSQL, NATS and the platform …');
  const startedMs = performance.now();
  await using web = await startTestWeb({ seed: 1, sites: listRealPageSites() });
  await using platform = await startPlatform({
    dataDir,
    env: {
      DECORUM_DNS_SERVERS: web.dnsServer,
      DECORUM_ALLOW_ADDRESSES: '127.64.0.0/10',
      DECORUM_LOG_LEVEL: 'warn',
    },
  });
  const crawls = await startCrawls(web, platform);
  await followUntilDone(web, crawls, startedMs);
  if (interrupted.signal.aborted) {
    say('interrupted, and not judged');
    process.exitCode = 130;
    return false;
  }
  const verdict = await web.report();
  const summary = summarize(
    crawls.map(({ books }) => books),
    verdict,
    {
      seconds: Math.round((performance.now() - startedMs) / 100) / 10,
      archiveBytes: await sizeOf(join(dataDir, 'archive')),
      pagesMin: followSeconds < FOLLOW_SECONDS ? 1 : PAGES_MIN,
    },
  );
  say(describeSummary(summary));
  if (!summary.ok && platform.log() !== '') say(`the platform's log:\n${platform.log()}`);
  if (options.json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  if (options.keep) await keepRunning(platform);
  return summary.ok;
}

/** Search follows everything, ML most of it, trust watches the front pages at high priority. */
function plansFor(web: TestWeb): TenantPlan[] {
  const hosts = listRealPageSites().map(({ host }) => host);
  const seeds = hosts.map((host) => web.url(host, '/'));
  return [
    { tenantId: 'search', purpose: 'SEARCH', band: 4, seeds, follow: (host) => hosts.includes(host) },
    {
      tenantId: 'ml',
      purpose: 'AI_TRAIN',
      band: 2,
      seeds: seeds.slice(4),
      follow: (host) => hosts.indexOf(host) % 3 > 0,
    },
    { tenantId: 'trust', purpose: 'TRUST_SAFETY', band: 7, seeds: seeds.slice(0, 12), follow: () => false },
  ];
}

async function startCrawls(web: TestWeb, platform: Platform): Promise<TenantCrawl[]> {
  const followUntilMs = performance.now() + followSeconds * 1_000;
  const deadline = new Date(Date.now() + (followSeconds + DRAIN_SECONDS) * 1_000);
  const plans = plansFor(web);
  const keys = await Promise.all(
    plans.map(({ tenantId, purpose }) => platform.createTenant(tenantId, purpose)),
  );
  say(`three tenants: ${plans.map(({ tenantId, purpose }) => `${tenantId} (${purpose})`).join(', ')}`);
  const onError = (error: unknown) => say(`a tenant's results stopped: ${String(error)}`);
  return Promise.all(
    plans.map((plan, place) =>
      crawlAsTenant(plan, { url: platform.url, key: keys[place] ?? '', followUntilMs, deadline, onError }),
    ),
  );
}

async function followUntilDone(
  web: TestWeb,
  crawls: readonly TenantCrawl[],
  startedMs: number,
): Promise<void> {
  const limit = AbortSignal.timeout((followSeconds + DRAIN_SECONDS + GRACE_SECONDS) * 1_000);
  const signal = AbortSignal.any([limit, interrupted.signal]);
  const progress = setInterval(() => void showProgress(web, crawls, startedMs), 1_000);
  try {
    const untilFollowed = new Promise((resolve) => {
      setTimeout(resolve, followSeconds * 1_000);
      signal.addEventListener('abort', resolve, { once: true });
    });
    await untilFollowed;
    await Promise.all(crawls.map((crawl) => crawl.finish(signal)));
  } finally {
    clearInterval(progress);
    if (process.stderr.isTTY) process.stderr.write('\n');
  }
}

async function showProgress(web: TestWeb, crawls: readonly TenantCrawl[], startedMs: number): Promise<void> {
  const verdict = await web.report().catch(() => undefined);
  if (verdict === undefined) return;
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  const results = crawls.map(({ books }) => `${books.tenantId} ${books.results.size}`).join(', ');
  const waiting = crawls.reduce((sum, crawl) => sum + crawl.waiting(), 0);
  const line = `${seconds} s: ${verdict.requests} requests to ${verdict.sites} sites, ${verdict.violations.length} rude; results ${results}; ${waiting} waiting`;
  shown += 1;
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
  else if (shown % 10 === 0) say(line);
}

async function keepRunning(platform: Platform): Promise<void> {
  say(
    `left running until Ctrl-C; for a look around:\n  export DECORUM_URL=${platform.url} DECORUM_KEY=${platform.operatorKey}\n  curl ${platform.httpUrl}/bot`,
  );
  if (interrupted.signal.aborted) return;
  await new Promise((resolve) => interrupted.signal.addEventListener('abort', resolve, { once: true }));
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** The data directory may be a link to where its services could reach it. */
async function removeDataDir(): Promise<void> {
  const target = await realpath(dataDir).catch(() => dataDir);
  await rm(target, { recursive: true, force: true });
  await rm(dataDir, { recursive: true, force: true });
}

/** Talks to people; the summary as JSON has standard output for itself. */
function say(text: string): void {
  (options.json ? process.stderr : process.stdout).write(`${text}\n`);
}
