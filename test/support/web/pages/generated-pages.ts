import { drawBySeed } from '../draw-by-seed.ts';
import type { GeneratedPages } from '../web-config.ts';

const WORDS = (
  'river market paper stone winter garden letter window copper morning harbour silver thread lantern orchard ' +
  'meadow bridge candle mirror pocket feather kettle ribbon timber velvet whistle anchor basket corner ladder'
).split(' ');
const PARAGRAPH_WORDS = 60;

/** Another generated host that pages may link to, as `http://host:port`, with its number of pages. */
export type OtherSite = { origin: string; count: number };

/**
 * The HTML of a page of a generated site, or undefined where there is none. Page n links to pages 2n+1 and 2n+2,
 * so that all are reachable from `/` (page 0), and to others drawn by seed, host and n.
 */
export function generatePage(
  path: string,
  host: string,
  source: GeneratedPages,
  others: readonly OtherSite[],
  seed: number,
): string | undefined {
  const number = toPageNumber(path);
  if (number === undefined || number >= source.count) return undefined;
  const draw = drawBySeed(`${seed} ${host} ${number}`);
  const inside = [2 * number + 1, 2 * number + 2].filter((child) => child < source.count);
  while (inside.length < (source.linksPerPage ?? 10)) inside.push(draw(source.count));
  const links = inside.map((page) => toPagePath(page));
  for (let left = others.length > 0 ? (source.outsideLinksPerPage ?? 2) : 0; left > 0; left--) {
    const other = others[draw(others.length)];
    if (other) links.push(other.origin + toPagePath(draw(other.count)));
  }
  const bytesMin = source.bytesMin ?? 2_000;
  const bytes = bytesMin + draw(Math.max(1, (source.bytesMax ?? 20_000) - bytesMin));
  return renderPage(`Page ${number} of ${host}`, links, bytes, draw);
}

const toPagePath = (number: number): string => (number === 0 ? '/' : `/page/${number}`);

function toPageNumber(path: string): number | undefined {
  if (path === '/') return 0;
  const match = /^\/page\/([1-9]\d{0,8})$/.exec(path);
  return match ? Number(match[1]) : undefined;
}

function renderPage(title: string, links: string[], bytes: number, draw: (bound: number) => number): string {
  const list = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('\n');
  const head = `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>\n<body>\n`;
  const parts = [`${head}<h1>${title}</h1>\n<ul>\n${list}\n</ul>\n`];
  for (let size = parts[0]?.length ?? 0; size < bytes;) {
    const words = Array.from({ length: PARAGRAPH_WORDS }, () => WORDS[draw(WORDS.length)]);
    const paragraph = `<p>${words.join(' ')}.</p>\n`;
    parts.push(paragraph);
    size += paragraph.length;
  }
  return parts.join('') + '</body></html>\n';
}
