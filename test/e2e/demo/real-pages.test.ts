import assert from 'node:assert/strict';
import { request } from 'node:http';
import { it } from 'node:test';
import { siteOf } from '../../support/web/judge-manners.ts';
import { findForbiddingLine } from '../../support/web/judge-robots.ts';
import { startTestWeb } from '../../support/web/start-test-web.ts';
import type { SiteConfig } from '../../support/web/web-config.ts';
import { listRealPageSites } from './real-pages.ts';

type Page = { status: number; location: string | undefined; contentType: string; body: string };

function fetchPage(address: string, url: URL): Promise<Page> {
  return new Promise((resolve, reject) => {
    request(
      { host: address, port: url.port, path: url.pathname, headers: { host: url.host } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            location: response.headers.location,
            contentType: response.headers['content-type'] ?? '',
            body: Buffer.concat(chunks).toString(),
          }),
        );
      },
    )
      .on('error', reject)
      .end();
  });
}

function linksOf(page: Page, base: URL): URL[] {
  const links = [...page.body.matchAll(/<a\s[^>]*href=["']([^"'#?]+)/gi)].map(([, link = '']) => link);
  return [...links, ...(page.location === undefined ? [] : [page.location])].flatMap(
    (link) => URL.parse(link, base.href) ?? [],
  );
}

it('the demo has at least 600 real pages over 20 sites that links lead to and robots.txt allows, and some it forbids', async () => {
  const sites = listRealPageSites();
  const byHost = new Map<string, SiteConfig>(sites.map((site) => [site.host, site]));
  await using web = await startTestWeb({ seed: 1, sites: sites.map((site) => ({ ...site, latencyMs: 0 })) });
  const seen = new Set(sites.map((site) => web.url(site.host)));
  const found = new Map<string, number>();
  let [forbidden, moved, missing] = [0, 0, 0];
  for (const href of seen) {
    const url = new URL(href);
    const site = byHost.get(url.hostname);
    if (!site || site.robots?.status === 503) continue;
    if (findForbiddingLine(site.robots?.text ?? '', url.pathname, 'decorumbot') !== undefined) {
      forbidden++;
      continue;
    }
    const page = await fetchPage(site.addresses[0] ?? '', url);
    if (page.status === 200 && page.contentType.startsWith('text/html'))
      found.set(siteOf(url.host), (found.get(siteOf(url.host)) ?? 0) + 1);
    if (page.status === 301) moved++;
    if (page.status === 404) missing++;
    for (const link of linksOf(page, url)) if (byHost.has(link.hostname)) seen.add(link.href);
  }
  const pages = [...found.values()].reduce((sum, count) => sum + count, 0);
  const summary = JSON.stringify({ pages, forbidden, moved, missing, sites: Object.fromEntries(found) });
  assert.ok(pages >= 600 && found.size >= 19 && byHost.size >= 20, summary);
  assert.ok(forbidden >= 50 && moved >= 100 && missing < 60, summary);
  const names = Map.groupBy(sites, (site) => site.addresses[0]);
  assert.ok(
    names.size <= 8 && [...names.values()].every((shared) => shared.length >= 2),
    'several names share an address',
  );
});
