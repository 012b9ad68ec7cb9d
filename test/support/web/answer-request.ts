import { createHash } from 'node:crypto';
import { answerBody, answerRedirect, type Answer, type AnswerStep } from './answer.ts';
import { drawBySeed } from './draw-by-seed.ts';
import { findFile } from './pages/file-pages.ts';
import { generatePage, type OtherSite } from './pages/generated-pages.ts';
import { PATHOLOGIES } from './pages/pathologies.ts';
import { headerOf, type WebRequest } from './parse-request.ts';
import type { SiteConfig } from './web-config.ts';

const TEXT = 'text/plain; charset=utf-8';
const LAST_MODIFIED = 'Mon, 02 Nov 2026 08:00:00 GMT';

/** The web as it stands: its hosts by name, and what they have in common. */
export type WebState = {
  seed: number;
  port: number;
  sites: Map<string, SiteConfig>;
  /** How often each URL was asked for. */
  asked: Map<string, number>;
};

/** Answers a request at an address: 400 without a host, 421 for a host that is not served there. */
export async function answerRequest(request: WebRequest, address: string, web: WebState): Promise<Answer> {
  const authority = (headerOf(request, 'host') ?? '').toLowerCase();
  if (authority === '') return answerBody(400, 'no host', {}, TEXT);
  const site = web.sites.get(authority.replace(/:\d+$/, '').replace(/\.$/, ''));
  if (!site?.addresses.includes(address)) return answerBody(421, 'not here', {}, TEXT);
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return answerBody(405, '', { Allow: 'GET, HEAD' });
  const origin = `http://${authority}`;
  const url = new URL(request.path, origin);
  const answer =
    url.pathname === '/robots.txt'
      ? answerRobots(site, origin)
      : (answerLiteral(site, url.pathname) ??
        answerPathology(site, request, url, web.asked) ??
        (await answerPage(site, request, url, web)));
  return withoutBody(request, withLatency(answer, site, url.pathname, web.seed));
}

function answerRobots({ robots }: SiteConfig, origin: string): Answer {
  if (!robots) return answerBody(404, 'no robots.txt', {}, TEXT);
  if (robots.hang === true) return { status: 0, steps: [], finish: 'hang' };
  const wait: AnswerStep[] = robots.delayMs === undefined ? [] : [{ waitMs: robots.delayMs }];
  const text = robots.text ?? '';
  const answer =
    robots.redirect === undefined
      ? { ...answerBody(robots.status ?? 200, text, {}, TEXT), robotsText: text }
      : answerRedirect(robots.status ?? 301, new URL(robots.redirect, origin).href, robots.redirect);
  return { ...answer, steps: [...wait, ...answer.steps] };
}

function answerLiteral(site: SiteConfig, path: string): Answer | undefined {
  const page = site.literals?.[path];
  if (!page) return undefined;
  const body = page.body ?? '';
  const answer = answerBody(page.status ?? 200, body, page.headers, page.contentType);
  return page.isRobots === true ? { ...answer, robotsText: body } : answer;
}

function answerPathology(
  site: SiteConfig,
  request: WebRequest,
  url: URL,
  asked: Map<string, number>,
): Answer | undefined {
  if (!(site.pathologies ?? site.pages.kind === 'generated')) return undefined;
  const [name = '', ...rest] = url.pathname.slice(1).split('/');
  if (!Object.hasOwn(PATHOLOGIES, name)) return undefined;
  const askedBefore = asked.get(url.href) ?? 0;
  asked.set(url.href, askedBefore + 1);
  return PATHOLOGIES[name]?.({ request, origin: url.origin, rest, query: url.searchParams, askedBefore });
}

async function answerPage(site: SiteConfig, request: WebRequest, url: URL, web: WebState): Promise<Answer> {
  const missing = answerBody(404, '<!doctype html><title>Not found</title><p>There is no such page.</p>');
  if (site.pages.kind === 'generated') {
    const page = generatePage(url.pathname, site.host, site.pages, otherSites(site, web), web.seed);
    return page === undefined ? missing : answerConditionally(request, page, 'text/html; charset=utf-8');
  }
  const file = await findFile(url.pathname, site.pages);
  if (file === undefined) return missing;
  if ('movedTo' in file)
    return answerRedirect(301, `http://${file.movedTo}:${web.port}${url.pathname}${url.search}`);
  return answerConditionally(request, file.body, file.contentType);
}

function otherSites(site: SiteConfig, web: WebState): OtherSite[] {
  const others: OtherSite[] = [];
  for (const { host, pages } of web.sites.values()) {
    if (host !== site.host && pages.kind === 'generated')
      others.push({ origin: `http://${host}:${web.port}`, count: pages.count });
  }
  return others;
}

/** RFC 9110 §13.2.2: If-None-Match decides alone where it is present. */
function answerConditionally(request: WebRequest, body: string | Buffer, contentType: string): Answer {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`;
  const headers = { ETag: etag, 'Last-Modified': LAST_MODIFIED };
  const noneMatch = headerOf(request, 'if-none-match');
  const isUnchanged =
    noneMatch === undefined
      ? headerOf(request, 'if-modified-since') === LAST_MODIFIED
      : noneMatch.split(',').some((tag) => tag.trim() === etag);
  return isUnchanged ? answerBody(304, '', headers) : answerBody(200, body, headers, contentType);
}

function withLatency(answer: Answer, { latencyMs, host }: SiteConfig, path: string, seed: number): Answer {
  if (latencyMs === undefined) return answer;
  const waitMs =
    typeof latencyMs === 'number'
      ? latencyMs
      : latencyMs.min + drawBySeed(`${seed} ${host} ${path} latency`)(latencyMs.max - latencyMs.min + 1);
  return { ...answer, steps: prepend({ waitMs }, answer.steps) };
}

function* prepend(first: AnswerStep, steps: Iterable<AnswerStep>): Iterable<AnswerStep> {
  yield first;
  yield* steps;
}

function withoutBody(request: WebRequest, answer: Answer): Answer {
  return request.method === 'HEAD' ? { ...answer, steps: headOf(answer.steps) } : answer;
}

function* headOf(steps: Iterable<AnswerStep>): Iterable<AnswerStep> {
  for (const step of steps) {
    if (!(step instanceof Uint8Array)) {
      yield step;
      continue;
    }
    yield step.subarray(0, Buffer.from(step.buffer, step.byteOffset, step.length).indexOf('\r\n\r\n') + 4);
    return;
  }
}
