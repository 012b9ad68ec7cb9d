import { isIPv4 } from 'node:net';

/**
 * The networks our requests come from, in the form that other crawlers publish theirs in: `creationTime` and `prefixes`
 * with `ipv4Prefix` or `ipv6Prefix`. Nothing is listed that was not configured.
 */
export function renderIpRanges(egressBlocks: readonly string[], createdAt: Date): string {
  const prefixes = egressBlocks.map((block) =>
    isIPv4(block.split('/')[0] ?? '') ? { ipv4Prefix: block } : { ipv6Prefix: block },
  );
  return `${JSON.stringify({ creationTime: createdAt.toISOString(), prefixes }, undefined, 2)}\n`;
}
