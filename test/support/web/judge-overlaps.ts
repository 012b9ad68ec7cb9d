import type { Allowance } from './judge-allowance.ts';
import type { ConnectionEntry } from './web-log.ts';

/** How many connections were open at once, and each moment when one more than the limit was opened. */
export type Overlaps = {
  max: number;
  limit: number;
  excesses: { at: number; connections: ConnectionEntry[] }[];
};

/**
 * Counts the connections that were surely open together. A close is seen late by the allowance, and in a void
 * second by nobody knows how much, so a connection counts until that much before its close.
 */
export function countOverlaps(
  connections: readonly ConnectionEntry[],
  limit: number,
  allowance: Allowance,
): Overlaps {
  const overlaps: Overlaps = { max: 0, limit, excesses: [] };
  let open: { entry: ConnectionEntry; until: number }[] = [];
  for (const entry of connections.toSorted((a, b) => a.acceptedAt - b.acceptedAt)) {
    open = open.filter(({ until }) => until > entry.acceptedAt);
    open.push({ entry, until: surelyOpenUntil(entry, allowance) });
    overlaps.max = Math.max(overlaps.max, open.length);
    if (open.length > limit)
      overlaps.excesses.push({ at: entry.acceptedAt, connections: open.map((each) => each.entry) });
  }
  return overlaps;
}

function surelyOpenUntil({ closedAt }: ConnectionEntry, allowance: Allowance): number {
  if (closedAt === null) return Infinity;
  const late = allowance.at(closedAt);
  return late === null ? allowance.voidStart(closedAt) : closedAt - late;
}
