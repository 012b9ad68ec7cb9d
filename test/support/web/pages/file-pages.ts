import { readdir, readFile } from 'node:fs/promises';
import { extname, join, normalize, relative, sep } from 'node:path';
import type { FilePages } from '../web-config.ts';

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.pdf': 'application/pdf',
};

/** A file to serve, or the host that its page moved to. */
export type FoundFile = { contentType: string; body: Buffer } | { movedTo: string } | undefined;

/**
 * Finds what a path (without query) names in a site's folder. A folder answers with its `index.html`; `/` without
 * one answers with a page that links every HTML file the site keeps. Nothing outside the folder is ever found.
 */
export async function findFile(path: string, source: FilePages): Promise<FoundFile> {
  const name = decodePath(path);
  if (name === undefined) return undefined;
  for (const [prefix, host] of Object.entries(source.moved ?? {})) {
    if (name.startsWith(prefix)) return { movedTo: host };
  }
  const file = name.endsWith('/') ? `${name}index.html` : name;
  if (isKept(file, source)) {
    const body = await readFile(join(source.folder, file)).catch(() => undefined);
    if (body)
      return { contentType: CONTENT_TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream', body };
  }
  if (name !== '/') return undefined;
  return {
    contentType: 'text/html; charset=utf-8',
    body: Buffer.from(renderListing(await listPages(source))),
  };
}

/** The paths of the HTML files that a site keeps of its folder, sorted. */
export async function listPages(source: FilePages): Promise<string[]> {
  const entries = await readdir(source.folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.html?$/i.test(entry.name))
    .map((entry) => '/' + relative(source.folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => isKept(path, source) && !isMoved(path, source))
    .sort();
}

const isKept = (path: string, source: FilePages): boolean =>
  source.only === undefined || source.only.some((prefix) => path.startsWith(prefix));

const isMoved = (path: string, source: FilePages): boolean =>
  Object.keys(source.moved ?? {}).some((prefix) => path.startsWith(prefix));

function decodePath(path: string): string | undefined {
  try {
    const name = decodeURIComponent(path);
    return name.includes('\0') || normalize(name) !== name ? undefined : name;
  } catch {
    return undefined;
  }
}

function renderListing(pages: string[]): string {
  const links = pages.map((page) => `<li><a href="${encodeURI(page)}">${page.slice(1)}</a></li>`).join('\n');
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Contents</title></head>\n<body>\n<ul>\n${links}\n</ul>\n</body></html>\n`;
}
