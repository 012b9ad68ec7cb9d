/** How much of a robots.txt we read, in octets: the 500 KiB that RFC 9309 §2.5 makes the least. */
export const ROBOTS_OCTETS_MAX = 500 * 1024;

/** What is kept of a robots.txt. */
export interface CutRobots {
  readonly content: Uint8Array;
  /** Whether there was more. */
  readonly truncated: boolean;
}

/**
 * Keeps of a robots.txt the lines that end within its first ROBOTS_OCTETS_MAX octets, since half a line says something
 * else (`Allow: /` for `Allow: /a`). One octet more than that is enough to give; what is kept shares its memory.
 */
export function cutRobots(body: Uint8Array): CutRobots {
  if (body.length <= ROBOTS_OCTETS_MAX) return { content: body, truncated: false };
  let end = ROBOTS_OCTETS_MAX;
  while (end > 0 && !isLineEnd(body[end])) end -= 1;
  return { content: body.subarray(0, end), truncated: true };
}

function isLineEnd(octet: number | undefined): boolean {
  return octet === 0x0a || octet === 0x0d;
}
