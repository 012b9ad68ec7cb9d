// robots-cases.json: which URL a robots.txt allows for a product token.
import { decideRobots } from '@decorum/policy/robots/decide-robots.ts';
import { parseRobots } from '@decorum/policy/robots/parse-robots.ts';
import { canonicalizeUrl } from '@decorum/policy/url/canonicalize-url.ts';
import type { CaseRunner } from './case-runner.ts';
import { judgeEach } from './case-runner.ts';

interface RobotsCase {
  readonly id: string;
  readonly robots?: string;
  readonly robots_gen?: {
    readonly head?: string;
    readonly comment_pad_bytes: number;
    readonly then: string;
  };
  readonly user_agent: string;
  readonly url: string;
  readonly expected: 'allow' | 'deny' | 'either';
  readonly either?: readonly string[];
  readonly expected_crawl_delay_s?: number | null;
  readonly max_ms?: number;
}

export const runCases: CaseRunner = (file) => judgeEach(file.cases as readonly RobotsCase[], judge);

function judge(one: RobotsCase): string | undefined {
  const url = canonicalizeUrl(one.url);
  if (!url.ok) return `the URL is refused: ${url.reason}`;

  const source = one.robots ?? generate(one.robots_gen);
  const startedAt = performance.now();
  const verdict = decideRobots({
    robots: parseRobots(source),
    productToken: one.user_agent,
    url: url.url,
  });
  const tookMs = performance.now() - startedAt;

  const answer = verdict.allowed ? 'allow' : 'deny';
  if (one.expected !== 'either' && answer !== one.expected && one.either?.includes(answer) !== true) {
    return `expected ${one.expected}, got ${answer} by ${JSON.stringify(verdict)}`;
  }
  const delayS = verdict.crawlDelayS ?? null;
  if (one.expected_crawl_delay_s !== undefined && delayS !== one.expected_crawl_delay_s) {
    return `expected a crawl delay of ${String(one.expected_crawl_delay_s)} s, got ${String(delayS)}`;
  }
  if (one.max_ms !== undefined && tookMs > one.max_ms) {
    return `took ${tookMs.toFixed(1)} ms of ${one.max_ms}`;
  }
  return undefined;
}

const COMMENT_LINE = `# ${'-'.repeat(77)}\n`;

function generate(recipe: RobotsCase['robots_gen']): string {
  if (recipe === undefined) return '';
  const padding = COMMENT_LINE.repeat(Math.ceil(recipe.comment_pad_bytes / COMMENT_LINE.length));
  // Cut at the front, so that the last line keeps its end: "# ---", "---" or nothing before it is no rule either way.
  return (recipe.head ?? '') + padding.slice(padding.length - recipe.comment_pad_bytes) + recipe.then;
}
