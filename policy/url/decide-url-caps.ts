import { URL_BYTES_MAX } from './canonicalize-url.ts';

/** How many segments a path may have (a final slash adds none); deeper paths are grown by a loop of links. */
export const PATH_DEPTH_MAX = 16;

/** How often one segment may occur in a path, empty ones included; `/a/b/a/b/a/b/a/` is grown by relative links. */
export const SEGMENT_OCCURRENCES_MAX = 3;

/**
 * How many times in a row a percent sign may have been encoded (`%25252F` is 3 deep). URLs nest inside each other's
 * queries, but each level beyond is a page that encodes its own links again.
 */
export const ENCODING_DEPTH_MAX = 3;

/** How often an undecoded entity's `amp;` may stand in a row; each hop of a page that echoes its query adds one. */
export const ENTITY_REPEATS_MAX = 3;

/** Which cap a URL is over. */
export type UrlCap = 'URL_BYTES' | 'PATH_DEPTH' | 'SEGMENT_OCCURRENCES' | 'ENCODING_DEPTH' | 'ENTITY_REPEATS';

/** Over `URL_BYTES` the URL is invalid, over any other cap it is taken for a trap's. */
export type UrlCapsDecision =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'INVALID_URL' | 'TRAP'; readonly cap: UrlCap };

/** Judges the shape of a canonical URL: its length and the marks of paths and queries that grow at every hop. */
export function decideUrlCaps(canonicalUrl: string): UrlCapsDecision {
  if (canonicalUrl.length > URL_BYTES_MAX) return { ok: false, reason: 'INVALID_URL', cap: 'URL_BYTES' };
  const cap = trapMark(canonicalUrl);
  return cap === undefined ? { ok: true } : { ok: false, reason: 'TRAP', cap };
}

const NESTED_ENCODING = new RegExp(`%(?:25){${ENCODING_DEPTH_MAX},}[0-9A-F]{2}`);
const REPEATED_ENTITY = new RegExp(`(?:&?amp(?:;|%(?:25)*3B)){${ENTITY_REPEATS_MAX + 1},}`);

function trapMark(canonicalUrl: string): UrlCap | undefined {
  const segments = pathSegments(canonicalUrl);
  if (segments.length > PATH_DEPTH_MAX) return 'PATH_DEPTH';
  if (mostOccurrences(segments) > SEGMENT_OCCURRENCES_MAX) return 'SEGMENT_OCCURRENCES';
  if (NESTED_ENCODING.test(canonicalUrl)) return 'ENCODING_DEPTH';
  if (REPEATED_ENTITY.test(canonicalUrl)) return 'ENTITY_REPEATS';
  return undefined;
}

function pathSegments(canonicalUrl: string): string[] {
  const [beforeQuery = ''] = canonicalUrl.split('?', 1);
  const segments = beforeQuery.split('/').slice(3);
  return segments.at(-1) === '' ? segments.slice(0, -1) : segments;
}

function mostOccurrences(segments: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const segment of segments) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}
