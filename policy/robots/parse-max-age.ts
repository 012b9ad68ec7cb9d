/**
 * Gives the `max-age` of a response's `Cache-Control` field lines in seconds (RFC 9111 §5.2.2.1), the least if there are
 * several, or `null` if there is none that we understand. `no-cache` and `no-store` are a max-age of 0 here.
 */
export function parseMaxAge(cacheControl: readonly string[]): number | null {
  let least: number | null = null;
  for (const directive of cacheControl.join(',').split(',')) {
    const seconds = secondsOf(directive);
    if (seconds !== undefined && (least === null || seconds < least)) least = seconds;
  }
  return least;
}

function secondsOf(directive: string): number | undefined {
  const [name = '', value = ''] = directive.split('=', 2).map((part) => part.trim());
  if (/^no-(?:cache|store)$/i.test(name)) return 0;
  if (!/^max-age$/i.test(name)) return undefined;
  const digits = /^"?(\d+)"?$/.exec(value)?.[1];
  return digits === undefined ? undefined : Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}
