import type { Identity } from '../../config/load-identity.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import type { Readiness } from '../../runtime/readiness.ts';
import type { Page, Pages } from './page.ts';
import { renderBotPage } from './render-bot-page.ts';
import { renderIpRanges } from './render-ip-ranges.ts';

/** What the status pages need. */
export type StatusPageDeps = {
  readonly readiness: Readiness;
  readonly metrics: Metrics;
};

/** `/healthz` (the process runs), `/readyz` (it wants work; 503 with the reasons when not) and `/metrics`. */
export function createStatusPages({ readiness, metrics }: StatusPageDeps): Pages {
  return new Map<string, Page>([
    ['/healthz', () => ({ contentType: 'text/plain; charset=utf-8', body: 'ok\n' })],
    ['/readyz', () => readyPage(readiness)],
    [
      '/metrics',
      async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', body: await metrics.render() }),
    ],
  ]);
}

/** `/bot` and `/bot/ip-ranges.json`, rendered once. */
export function createPublicPages(identity: Identity, startedAt: Date): Pages {
  const headers = { 'cache-control': 'public, max-age=3600' };
  const bot = renderBotPage(identity);
  const ipRanges = renderIpRanges(identity.egressBlocks, startedAt);
  return new Map<string, Page>([
    ['/bot', () => ({ contentType: 'text/html; charset=utf-8', body: bot, headers })],
    ['/bot/ip-ranges.json', () => ({ contentType: 'application/json', body: ipRanges, headers })],
  ]);
}

function readyPage(readiness: Readiness) {
  const state = readiness.current();
  return {
    status: state.ready ? 200 : 503,
    contentType: 'application/json',
    body: `${JSON.stringify(state)}\n`,
  };
}
